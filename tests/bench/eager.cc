// Measures what an op on tensors costs: small additions, and a chain of products with its gradient.
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/peer.h"
#include "tests/bench/report.h"

namespace loci::bench {
namespace {

constexpr int kOps = 1000;      // of a loop of additions
constexpr int kProducts = 100;  // of a chain
constexpr int kRepetitions = 41;
constexpr int kLoopsOfThread = 200;  // of kOps: far longer than the system takes to place a thread
constexpr int kThreadRepetitions = 21;
constexpr double kAddBudgetNs = 300;
constexpr double kBesideBudget = 1 / 0.9;
constexpr double kAdd1024BudgetNs = 400;
constexpr double kChainBudgetNs = 1500;
constexpr int kTraced =
    1000;  // of a chain that is traced, so that a run's fixed cost hardly counts
constexpr double kTracedBudgetNs = 60;

// Each result ends before the next, as those of a loop do.
void additions(const Tensor& x, const Tensor& y) {
  for (int i = 0; i < kOps; ++i) (void)(x + y);
}

// x * y * y * ..., written once for every way to run it.
template <class V>
V product_chain(const V& x, const V& y, int products = kProducts) {
  V value = x;
  for (int i = 0; i < products; ++i) value = value * y;
  return value;
}

class ChainWithGradient {
 public:
  ChainWithGradient() {
    x_.set_requires_grad();
    run();
    if (x_.grad().item<float>() != 1.0F) throw std::runtime_error("the gradient of 1^n is not 1");
  }
  void run() {
    x_.set_grad({});
    product_chain(x_, y_).backward();
  }

 private:
  Tensor x_ = full({1}, 1.0);
  Tensor y_ = full({1}, 1.0);
};

struct Figures {
  double add = 0;
  double add_1024 = 0;
  double chain = 0;           // forward alone, without a gradient
  double chain_gradient = 0;  // forward and backward
  double traced = 0;
};

// Nanoseconds per op, on one thread.
Figures measure_ops() {
  config::set_threads(1);
  const Tensor one = full({1}, 1.0);
  const Tensor many = full({1024}, 1.0);
  ChainWithGradient with_gradient;
  const std::vector<Tensor> inputs{one, one};
  const CompiledFunction traced = compile(
      [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
        return {product_chain(in[0], in[1], kTraced)};
      },
      inputs);
  const std::vector<double> ns = median_ns({{"add", [&] { additions(one, one); }},
                                            {"add of 1,024", [&] { additions(many, many); }},
                                            {"chain", [&] { (void)product_chain(one, one); }},
                                            {"chain with gradient", [&] { with_gradient.run(); }},
                                            {"traced", [&] { (void)traced(inputs); }}},
                                           kRepetitions);
  return {ns[0] / kOps, ns[1] / kOps, ns[2] / kProducts, ns[3] / kProducts, ns[4] / kTraced};
}

// Returns the time of each thread's additions where two threads have them at the same time, over
// what one alone takes.
double two_threads_over_one() {
  const auto work = [] {
    const Tensor one = full({1}, 1.0);
    for (int i = 0; i < kLoopsOfThread; ++i) additions(one, one);
  };
  const auto beside = [&] {
    std::thread first(work);
    std::thread second(work);
    first.join();
    second.join();
  };
  const auto alone = [&] { std::thread(work).join(); };
  const std::vector<double> ns =
      median_ns({{"one thread", alone}, {"two threads", beside}}, kThreadRepetitions);
  return ns[1] / ns[0];
}

void measure(Report* report) {
  const Figures figures = measure_ops();
  const double beside = two_threads_over_one();
  std::string why;
  const auto peer = run_peer(
      "torch_eager.py",
      std::to_string(kOps) + " " + std::to_string(kProducts) + " " + std::to_string(kRepetitions),
      &why);
  if (!peer) report->note("PyTorch: " + why);
  const auto add = [&](const std::string& name, double value, const char* of_peer,
                       std::optional<double> budget) {
    report->add({name, value, "ns", true, "PyTorch (Python API)",
                 peer ? std::optional<double>(peer->at(of_peer)) : std::nullopt, budget});
  };
  add("add of 1 element, no gradient", figures.add, "add_ns", kAddBudgetNs);
  add("add of 1,024 elements, no gradient", figures.add_1024, "add_1024_ns", kAdd1024BudgetNs);
  report->add({"adds of two threads at once over one's", beside, "", true, "", {}, kBesideBudget});
  add("product chain, per op", figures.chain, "chain_ns", {});
  add("product chain forward and backward, per op", figures.chain_gradient, "chain_gradient_ns",
      kChainBudgetNs);
  add("product chain traced, per op", figures.traced, "chain_ns", kTracedBudgetNs);
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("eager", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_eager: %s\n", error.what());
    return 1;
  }
}
