// The rules of the driver, and `loci verify` of the plugins on it.
#include "tests/gpu_suite/steps.h"

namespace loci::gpu_suite {
namespace {

using std::chrono::minutes;

Step asked_rules(const Plan& plan, const std::string& name) {
  Step step{name, {plan.installation.program("cuda_rules_test")}, minutes(20), Reading::kRules};
  if (plan.quick) step.command.emplace_back("--gtest_filter=StreamTest*:Stream.*:Event*:Copy*");
  return step;
}

// On a device: as the double answers. On the double: as an H200 did.
Step compared_rules(const Plan& plan) {
  const std::string python = find_program("python3");
  const std::string others = plan.emulated
                                 ? plan.installation.data("rules") + "/answers_h200_driver_580.txt"
                                 : plan.logs + "/rules.double.log";
  Step step{"rules.compared",
            {python, "-B", plan.installation.data("rules") + "/compare.py",
             plan.logs + "/rules.driver.log", others},
            minutes(1)};
  step.alone = true;
  if (python.empty()) step.not_run = "no python3; the answers are in the logs of rules.*";
  return step;
}

Step verified(const Plan& plan, const std::string& plugin, const std::string& name,
              const std::string& levels) {
  Step step{"verify." + name,
            {plan.installation.program("loci"), "verify", plan.installation.plugin(plugin),
             "--level", levels, "--timeout", "1200", "--json"},
            minutes(60),
            Reading::kVerify};
  if (plan.emulated) {
    step.command.emplace_back("--emulated");
    step.environment.emplace_back("LOCI_CUDA_DOUBLE=checks=all,devices=2");
  }
  // Captures may neither take memory of the device nor wait, which what runs beside them seems to
  // do.
  step.alone = levels.find("capture") != std::string::npos;
  return step;
}

}  // namespace

std::vector<Step> rule_steps(const Plan& plan) {
  std::vector<Step> steps{asked_rules(plan, "rules.driver")};
  if (plan.emulated) {
    steps[0].environment.emplace_back("LOCI_CUDA_DOUBLE=memory=512M");
  } else {
    Step on_double = asked_rules(plan, "rules.double");
    on_double.environment = {"LOCI_CUDA_DRIVER=" + plan.installation.double_of("libcuda.so.1"),
                             "LOCI_CUDA_DOUBLE=memory=512M"};
    steps.push_back(on_double);
  }
  steps.push_back(compared_rules(plan));
  return steps;
}

std::vector<Step> verify_steps(const Plan& plan) {
  if (plan.quick) return {verified(plan, "cuda", "cuda", "abi,life")};
  std::vector<Step> steps{verified(plan, "cuda", "cuda", "abi,life,mem,order,fault"),
                          verified(plan, "cuda", "cuda_captures", "capture"),
                          verified(plan, "cuda", "cuda_profile", "profile"),
                          verified(plan, "cuda_graph", "cuda_graph", "abi,life,capture")};
  Step ops = verified(plan, "cuda", "cuda_ops", "ops");
  if (plan.emulated) {
    // All of it takes hours there, and conformance runs the cases.
    ops.command.insert(ops.command.end(),
                       {"--filter", "/(gather/gather|softmax/softmax)/bfloat16/"});
  }
  steps.push_back(ops);
  return steps;
}

}  // namespace loci::gpu_suite
