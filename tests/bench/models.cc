// Inference of whole models on the CPU against the best of its peers, in turns, at one thread and
// two. The peers compute the programs that Loci saves.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/live_peer.h"
#include "tests/bench/measured_roofline.h"
#include "tests/bench/model_cases.h"
#include "tests/bench/report.h"
#include "tests/bench/turns.h"
#include "tests/support/scratch_directory.h"

namespace loci::bench {
namespace {

constexpr TurnOptions kTurns{.seconds = 0.15, .budget_ratio = 1.0};

class Comparison {
 public:
  Comparison(Report* report, LivePeer* peer) : report_(report), peer_(peer) {}

  void measure(const ModelCase& model) {
    seed(7);
    const std::shared_ptr<nn::Module> net = model.make();
    const NoGrad inference;
    const Tensor input = randn(model.input);
    // In training, which leaves the statistics of the input with the normalisations. With those
    // they begin with, what random weights of many layers give would be too small to compare.
    (void)net->forward(input);
    net->eval();
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
    if (!peers.empty()) {
      const std::vector<double> theirs = doubles(io::load_npy(scratch_.path("out.npy")));
      require_comparable(model.name, theirs);
      require_same(model.name, doubles(compiled({input})[0]), theirs, model.tolerance);
    }
    const auto call = [&] { (void)compiled({input}); };
    Row row =
        time_in_turns(model.name + ", " + std::to_string(threads), call, peer_, peers, kTurns);
    return with_operators(std::move(row), call, threads, *peer_, *report_);
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

  // Within a tolerance over 1 + the magnitude, any results near zero would be the same.
  static void require_comparable(const std::string& name, const std::vector<double>& results) {
    constexpr double kLeast = 0.1;
    const auto is_visible = [](double value) { return std::abs(value) >= kLeast; };
    if (std::any_of(results.begin(), results.end(), is_visible)) return;
    throw std::runtime_error(name + ": no result is as large as " + std::to_string(kLeast));
  }

  static std::vector<double> doubles(const Tensor& tensor) {
    return cast(tensor, kFloat64).to_vector<double>();
  }

  Report* report_;
  LivePeer* peer_;
  test::ScratchDirectory scratch_;
};

void measure(Report* report) {
  LivePeer peer("models.py");
  if (!peer.is_up()) report->note("peers: " + peer.why());
  add_limits(report);
  Comparison comparison(report, &peer);
  for (const ModelCase& model : model_cases()) {
    if (report->is_wanted(model.name)) comparison.measure(model);
  }
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("models", argc, argv, loci::bench::Roofline::kOffered);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_models: %s\n", error.what());
    return 1;
  }
}
