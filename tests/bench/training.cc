// Steps of training on the CPU against PyTorch's, in turns, at one thread and two: forward and
// backward through a whole model, and an update of each parameter. PyTorch trains the programs that
// Loci saves, from the same weights.
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <memory>
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

constexpr double kRate = 1e-3;
constexpr TurnOptions kTurns{.seconds = 0.15, .budget_ratio = 1 / 1.3};

// The peers compare in this way: the losses of the first two steps, the second of which hangs on
// all gradients of the first.
constexpr double kTolerance = 2e-4;

Tensor loss_of(nn::Module& net, const Tensor& x) {
  const Tensor out = net.forward(x);
  return mean(out * out);
}

// A step as a program, and the parameters that it changes.
class Step {
 public:
  Step(const std::shared_ptr<nn::Module>& net, const Tensor& input)
      : net_(net),
        sgd_(kRate),
        compiled_(compile([this](const auto& in) { return run(in); }, {input})) {}

  double operator()(const Tensor& input) {
    return static_cast<double>(compiled_({input})[0].item<float>());
  }

 private:
  std::vector<Tensor> run(const std::vector<Tensor>& in) {
    net_->zero_grad();
    const Tensor loss = loss_of(*net_, in[0]);
    loss.backward();
    sgd_.step(net_->parameters());
    return {loss};
  }

  std::shared_ptr<nn::Module> net_;
  optimizer::SGD sgd_;
  CompiledFunction compiled_;
};

class Comparison {
 public:
  Comparison(Report* report, LivePeer* peer) : report_(report), peer_(peer) {}

  void measure(const ModelCase& model) {
    for (const int threads : {1, 2}) {
      config::set_threads(threads);
      seed(7);
      const std::shared_ptr<nn::Module> net = model.make();
      net->train();
      const Tensor input = randn(model.input);
      save_forward(*net, input);
      Step step(net, input);
      report_->add(row_of(model, &step, input, threads));
    }
  }

 private:
  void save_forward(nn::Module& net, const Tensor& input) {
    const NoGrad inference;
    compile([&](const auto& in) { return std::vector<Tensor>{net.forward(in[0])}; }, {input})
        .save(scratch_.path("model"));
    io::save_npy(scratch_.path("in.npy"), input);
  }

  Row row_of(const ModelCase& model, Step* step, const Tensor& input, int threads) {
    std::vector<std::string> peers;
    if (peer_->is_up()) {
      const auto answer = peer_->ask({{"model", scratch_.path("model")},
                                      {"input", scratch_.path("in.npy")},
                                      {"threads", threads},
                                      {"rate", kRate},
                                      {"out", scratch_.path("out.npy")}});
      peers = answer.at("peers");
    }
    const std::vector<double> losses{(*step)(input), (*step)(input)};
    if (!peers.empty()) {
      require_same(model.name, losses, io::load_npy(scratch_.path("out.npy")).to_vector<double>(),
                   kTolerance);
    }
    const auto call = [&] { (void)(*step)(input); };
    Row row =
        time_in_turns(model.name + ", " + std::to_string(threads), call, peer_, peers, kTurns);
    return with_operators(std::move(row), call, threads, *peer_, *report_);
  }

  Report* report_;
  LivePeer* peer_;
  test::ScratchDirectory scratch_;
};

void measure(Report* report) {
  LivePeer peer("training.py");
  if (!peer.is_up()) report->note("peers: " + peer.why());
  add_limits(report);
  Comparison comparison(report, &peer);
  for (const ModelCase& model : model_cases()) {
    const bool is_trained = model.name.find("b1") == std::string::npos;
    if (is_trained && report->is_wanted(model.name)) comparison.measure(model);
  }
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("training", argc, argv, loci::bench::Roofline::kOffered);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_training: %s\n", error.what());
    return 1;
  }
}
