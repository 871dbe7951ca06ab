// Conformance cases and the tests of GoogleTest.
#include <algorithm>

#include "tests/gpu_suite/steps.h"

namespace loci::gpu_suite {
namespace {

using std::chrono::minutes;

Step conformance_of(const Plan& plan, const std::string& name, const std::string& family) {
  Step step{name,
            {plan.installation.program("conformance"), "--place", "cuda:0", "--filter",
             "^" + family + "/"},
            minutes(40),
            Reading::kConformance};
  const auto& options = test_settings().conformance_options;
  step.command.insert(step.command.end(), options.begin(), options.end());
  if (plan.quick) step.command.emplace_back("--sample");
  return step;
}

Step tested(const Plan& plan, const std::string& name, const std::string& program,
            const std::string& filter) {
  return {name,
          {plan.installation.program(program), "--gtest_brief=1", "--gtest_filter=" + filter},
          minutes(30),
          Reading::kGoogleTest};
}

}  // namespace

std::vector<Step> conformance_steps(const Plan& plan) {
  std::vector<std::string> families = test_settings().families;
  if (plan.quick) families = {"random", "softmax"};
  std::vector<Step> steps;
  for (const std::string& family : families) {
    steps.push_back(conformance_of(plan, "conformance." + family, family));
  }
  if (plan.quick) return steps;
  // The plugin's own kernels are tried too on what cuDNN takes where it is.
  Step own = conformance_of(plan, "conformance.conv2d_own", "(fused_)?conv2d");
  own.environment = {"LOCI_CUDA_CUDNN=0"};
  steps.push_back(std::move(own));
  return steps;
}

std::vector<Step> test_steps(const Plan& plan) {
  Step captures = tested(plan, "tests.capture_rules", "capture_test",
                         plan.quick ? "Places/GraphTestRules.*" : test_settings().capture_filter);
  captures.environment = {"LOCI_TEST_GRAPH_PLACE=cuda:0"};
  if (plan.quick) return {captures};
  return {captures, tested(plan, "tests.kernels", "cuda_kernels_test", "*"),
          tested(plan, "tests.graphs", "cuda_graph_test", "-CudaGraphRunnerTest.*")};
}

// The device's own tools look into the same kernels that the double has looked into.
std::vector<Step> sanitizer_steps(const Plan& plan) {
  const std::string sanitizer = find_program("compute-sanitizer", {"/usr/local/cuda/bin"});
  std::vector<Step> steps;
  for (const char* tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    Step step = conformance_of(plan, std::string("sanitizer.") + tool,
                               "(activation|softmax|reduce|layer_norm)");
    step.command.insert(step.command.begin(), {sanitizer, "--tool", tool, "--error-exitcode", "9"});
    step.command.emplace_back("--sample");
    if (sanitizer.empty()) step.not_run = "no compute-sanitizer";
    if (plan.emulated) step.not_run = "the double has checks of its own, which all steps run with";
    steps.push_back(step);
  }
  return steps;
}

}  // namespace loci::gpu_suite
