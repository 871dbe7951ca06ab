// Single ops of the CPU against the best of its peers, in turns, at one thread and two.
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/kernel_cases.h"
#include "tests/bench/live_peer.h"
#include "tests/bench/measured_roofline.h"
#include "tests/bench/report.h"
#include "tests/bench/turns.h"
#include "tests/support/scratch_directory.h"

namespace loci::bench {
namespace {

constexpr TurnOptions kTurns{.seconds = 0.01, .budget_ratio = 1.05};

class Comparison {
 public:
  Comparison(Report* report, LivePeer* peer) : report_(report), peer_(peer) {}

  void measure(const KernelCase& kernel, int threads) {
    config::set_threads(threads);
    const std::vector<std::string> peers = set_up_peers(kernel, threads);
    const auto call = [&] { (void)kernel.run(kernel.inputs); };
    Row row =
        time_in_turns(kernel.name + ", " + std::to_string(threads), call, peer_, peers, kTurns);
    report_->add(with_operators(std::move(row), call, threads, *peer_, *report_));
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
                                    {"constants", kernel.constants},
                                    {"threads", threads},
                                    {"out", out}});
    const std::vector<std::string> peers = answer.at("peers");
    if (!peers.empty() && kernel.tolerance >= 0) {
      require_same(kernel.name, doubles(kernel.run(kernel.inputs)), doubles(io::load_npy(out)),
                   kernel.tolerance);
    }
    return peers;
  }

  static std::vector<double> doubles(const Tensor& tensor) {
    return cast(tensor, kFloat64).to_vector<double>();
  }

  Report* report_;
  LivePeer* peer_;
  test::ScratchDirectory scratch_;
};

void measure(Report* report) {
  LivePeer peer("kernels.py");
  if (!peer.is_up()) report->note("peers: " + peer.why());
  add_limits(report);
  // A call returns when it is done, as in the peers.
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
    loci::bench::Report report("cpu-kernels", argc, argv, loci::bench::Roofline::kOffered);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_cpu_kernels: %s\n", error.what());
    return 1;
  }
}
