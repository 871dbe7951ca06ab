// Measures a plan's cost per operator over the bare kernel, and a run's over its operators.
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <memory>

#include "framework/execution/frame.h"
#include "framework/executor/executor_impl.h"
#include "tests/bench/bare_adds.h"
#include "tests/bench/peer.h"
#include "tests/bench/report.h"

namespace loci::bench {
namespace {

constexpr int kOperators = 1000;
constexpr int kRepetitions = 41;
constexpr double kPerOperatorBudgetNs = 30;
constexpr double kFixedBudgetNs = 1500;

// v = v + y, `operators` times over, on one element.
struct Chain {
  explicit Chain(int operators) {
    const ProgramGuard building(main, startup);
    Variable value = data("x", {1}, kFloat32);
    const Variable y = data("y", {1}, kFloat32);
    for (int i = 0; i < operators; ++i) value = elementwise_add(value, y);
    last = value;
  }
  Program main;
  Program startup;
  Variable last;
};

// The plugin's kernels launched one after the other, without a plan: what a frame walks is exactly
// this, so the difference to a run is the executor's own.
class PreparedAdds {
 public:
  explicit PreparedAdds(const execution::Plan& plan, float* x, float* y, float* out)
      : frame_(plan.acquire_frame()) {
    frame_->bind(plan.feeds[0].value, x);
    frame_->bind(plan.feeds[1].value, y);
    frame_->bind(plan.fetches[0].value, out);
  }
  void run() {
    execution::StageScopes scopes;
    frame_->run(scopes);
  }

 private:
  std::unique_ptr<execution::Frame> frame_;
};

void measure(Report* report) {
  const Chain chain(kOperators);
  const Chain single(1);
  const Tensor one = Tensor::from<float>({1.0F}, {1});
  const Feed both{{"x", one}, {"y", one}};
  Executor executor;
  const auto plan = executor.impl()->plan(chain.main, both, {chain.last});
  float x = 1;
  float y = 1;
  float out = 0;
  PreparedAdds prepared(*plan, &x, &y, &out);
  BareAdds bare(kOperators);
  const std::vector<Fetch> chain_fetch{chain.last};
  const std::vector<Fetch> single_fetch{single.last};

  const std::vector<double> ns =
      median_ns({{"chain", [&] { executor.run(chain.main, both, chain_fetch); }},
                 {"single", [&] { executor.run(single.main, both, single_fetch); }},
                 {"prepared", [&] { prepared.run(); }},
                 {"bare", [&] { bare.run(); }}},
                kRepetitions);
  const double bare_per_operator = ns[3] / kOperators;
  const double prepared_per_operator = ns[2] / kOperators;
  const double per_operator = (ns[0] - ns[1]) / (kOperators - 1);

  std::string why;
  const auto peer = run_peer("onnxruntime_adds.py", std::to_string(kOperators) + " 41", &why);
  if (!peer) report->note("ONNX Runtime: " + why);
  const auto peer_value = [&](const char* name) {
    return peer ? std::optional<double>(peer->at(name)) : std::nullopt;
  };
  report->add({"bare kernel, per operator", bare_per_operator, "ns", true, "", {}, {}});
  report->add(
      {"plan, per operator", per_operator, "ns", true, "ONNX Runtime", peer_value("per_node"), {}});
  report->add({"plan over the bare kernel, per operator",
               per_operator - bare_per_operator,
               "ns",
               true,
               "",
               {},
               kPerOperatorBudgetNs});
  report->add({"of it in the frame's walk",
               prepared_per_operator - bare_per_operator,
               "ns",
               true,
               "",
               {},
               {}});
  report->add({"run, fixed, two feeds and one fetch", ns[1] - per_operator, "ns", true,
               "ONNX Runtime (Python API)", peer_value("run"), kFixedBudgetNs});
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("plan-overhead", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_plan_overhead: %s\n", error.what());
    return 1;
  }
}
