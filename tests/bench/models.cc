// Inference of whole models on the CPU against the best of its peers, in turns, at one thread and
// two. The peers compute the programs that Loci saves.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/live_peer.h"
#include "tests/bench/model_cases.h"
#include "tests/bench/report.h"
#include "tests/support/scratch_directory.h"

namespace loci::bench {
namespace {

constexpr int kRounds = 15;
constexpr double kTurnSeconds = 0.15;
constexpr double kBudgetRatio = 1.0;

using Times = std::map<std::string, std::vector<double>>;

// The median time of a call in a turn: other work of the machine meets some of them.
double median_call_ns(const CompiledFunction& model, const Tensor& input) {
  using Clock = std::chrono::steady_clock;
  (void)model({input});
  std::vector<double> times;
  double spent = 0;
  while (spent < kTurnSeconds * 1e9) {
    const auto start = Clock::now();
    (void)model({input});
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    spent += times.back();
  }
  return median(std::move(times));
}

class Comparison {
 public:
  Comparison(Report* report, LivePeer* peer) : report_(report), peer_(peer) {}

  void measure(const ModelCase& model) {
    seed(7);
    const std::shared_ptr<nn::Module> net = model.make();
    net->eval();
    const NoGrad inference;
    const Tensor input = randn(model.input);
    const CompiledFunction compiled =
        compile([&](const auto& in) { return std::vector<Tensor>{net->forward(in[0])}; }, {input});
    compiled.save(scratch_.path("model"));
    io::save_npy(scratch_.path("in.npy"), input);
    for (const int threads : {1, 2}) {
      config::set_threads(threads);
      report_->add(row_of(model, compiled, input, threads));
    }
  }

 private:
  Row row_of(const ModelCase& model, const CompiledFunction& compiled, const Tensor& input,
             int threads) {
    const std::vector<std::string> peers = set_up_peers(threads);
    if (!peers.empty()) compare(model, compiled({input})[0]);
    Times times;
    for (int i = 0; i < kRounds; ++i) {
      times[""].push_back(median_call_ns(compiled, input));
      for (const std::string& name : peers) {
        times[name].push_back(peer_->ask({{"time", name}, {"seconds", kTurnSeconds}}).at("ns"));
      }
    }
    Row row{model.name + ", " + std::to_string(threads),
            median(times.at("")) / 1000,
            "us",
            true,
            "",
            {},
            {}};
    for (const std::string& peer : peers) {
      const double value = median(times.at(peer)) / 1000;
      if (row.peer_value && *row.peer_value <= value) continue;
      row.peer = peer;
      row.peer_value = value;
      row.budget = kBudgetRatio * value;
    }
    return row;
  }

  std::vector<std::string> set_up_peers(int threads) {
    if (!peer_->is_up()) return {};
    return peer_
        ->ask({{"model", scratch_.path("model")},
               {"input", scratch_.path("in.npy")},
               {"threads", threads},
               {"out", scratch_.path("out.npy")}})
        .at("peers");
  }

  // Throws std::runtime_error unless the peer computes the same.
  void compare(const ModelCase& model, const Tensor& result) const {
    const auto ours = result.to_vector<float>();
    const auto theirs = io::load_npy(scratch_.path("out.npy")).to_vector<float>();
    if (ours.size() != theirs.size()) throw std::runtime_error(model.name + ": sizes differ");
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (std::abs(ours[i] - theirs[i]) <= model.tolerance * (1 + std::abs(theirs[i]))) continue;
      throw std::runtime_error(model.name + ": element " + std::to_string(i) + " is " +
                               std::to_string(ours[i]) + ", the peer's " +
                               std::to_string(theirs[i]));
    }
  }

  Report* report_;
  LivePeer* peer_;
  test::ScratchDirectory scratch_;
};

void measure(Report* report) {
  LivePeer peer("models.py");
  if (!peer.is_up()) report->note("peers: " + peer.why());
  Comparison comparison(report, &peer);
  for (const ModelCase& model : model_cases()) {
    if (report->is_wanted(model.name)) comparison.measure(model);
  }
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("models", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_models: %s\n", error.what());
    return 1;
  }
}
