// Single ops of the CPU against the best of its peers, in turns, at one thread and two.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/kernel_cases.h"
#include "tests/bench/live_peer.h"
#include "tests/bench/report.h"
#include "tests/support/scratch_directory.h"

namespace loci::bench {
namespace {

constexpr int kRounds = 15;
constexpr double kTurnSeconds = 0.01;
constexpr double kBudgetRatio = 1.05;

using Times = std::map<std::string, std::vector<double>>;

// The median time of a call in a turn: other work of the machine meets some of them.
double median_call_ns(const KernelCase& kernel) {
  using Clock = std::chrono::steady_clock;
  (void)kernel.run(kernel.inputs);
  std::vector<double> times;
  double spent = 0;
  while (spent < kTurnSeconds * 1e9) {
    const auto start = Clock::now();
    (void)kernel.run(kernel.inputs);
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    spent += times.back();
  }
  return median(std::move(times));
}

// Throws std::runtime_error unless the peer computes the same.
void compare(const KernelCase& kernel, const Tensor& expected) {
  if (kernel.tolerance < 0) return;
  const auto ours = cast(kernel.run(kernel.inputs), kFloat64).to_vector<double>();
  const auto theirs = cast(expected, kFloat64).to_vector<double>();
  if (ours.size() != theirs.size()) throw std::runtime_error(kernel.name + ": sizes differ");
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (std::abs(ours[i] - theirs[i]) > kernel.tolerance * (1 + std::abs(theirs[i]))) {
      throw std::runtime_error(kernel.name + ": element " + std::to_string(i) + " is " +
                               std::to_string(ours[i]) + ", the peer's " +
                               std::to_string(theirs[i]));
    }
  }
}

class Comparison {
 public:
  Comparison(Report* report, LivePeer* peer) : report_(report), peer_(peer) {}

  void measure(const KernelCase& kernel, int threads) {
    config::set_threads(threads);
    const std::vector<std::string> peers = set_up_peers(kernel, threads);
    Times times;
    for (int i = 0; i < kRounds; ++i) {
      times[""].push_back(median_call_ns(kernel));
      for (const std::string& name : peers) {
        times[name].push_back(peer_->ask({{"time", name}, {"seconds", kTurnSeconds}}).at("ns"));
      }
    }
    report_->add(row_of(kernel.name + ", " + std::to_string(threads), times, peers));
  }

 private:
  std::vector<std::string> set_up_peers(const KernelCase& kernel, int threads) {
    if (!peer_->is_up()) return {};
    std::vector<std::string> files;
    for (const Tensor& input : kernel.inputs) {
      files.push_back(scratch_.path("in" + std::to_string(files.size()) + ".npy"));
      io::save_npy(files.back(), input);
    }
    const std::string out = scratch_.path("out.npy");
    const auto answer = peer_->ask({{"inputs", files},
                                    {"torch", kernel.torch},
                                    {"onnx", kernel.onnx},
                                    {"threads", threads},
                                    {"out", out}});
    const std::vector<std::string> peers = answer.at("peers");
    if (!peers.empty()) compare(kernel, io::load_npy(out));
    return peers;
  }

  static Row row_of(const std::string& name, const Times& times,
                    const std::vector<std::string>& peers) {
    Row row{name, median(times.at("")) / 1000, "us", true, "", {}, {}};
    for (const std::string& peer : peers) {
      const double value = median(times.at(peer)) / 1000;
      if (row.peer_value && *row.peer_value <= value) continue;
      row.peer = peer;
      row.peer_value = value;
      row.budget = kBudgetRatio * value;
    }
    return row;
  }

  Report* report_;
  LivePeer* peer_;
  test::ScratchDirectory scratch_;
};

void measure(Report* report) {
  LivePeer peer("kernels.py");
  if (!peer.is_up()) report->note("peers: " + peer.why());
  // As peers do: a call returns when it is done.
  const SerialMode serial;
  Comparison comparison(report, &peer);
  for (const KernelCase& kernel : kernel_cases()) {
    if (!report->is_wanted(kernel.name)) continue;
    for (const int threads : {1, 2}) comparison.measure(kernel, threads);
  }
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("cpu-kernels", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_cpu_kernels: %s\n", error.what());
    return 1;
  }
}
