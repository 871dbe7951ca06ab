// The tutorials' programs, training, and benchmarks.
#include "tests/gpu_suite/steps.h"

namespace loci::gpu_suite {
namespace {

using std::chrono::minutes;

Step program(const Plan& plan, const std::string& name, const std::string& file,
             const std::vector<std::string>& arguments) {
  Step step{name, {plan.installation.program(file)}, minutes(20)};
  step.command.insert(step.command.end(), arguments.begin(), arguments.end());
  return step;
}

Step digits(const Plan& plan, const std::string& name, const std::string& file) {
  return program(
      plan, name, file,
      {"--data", plan.installation.data("digits"), "--output", plan.scratch, "--device", "cuda:0",
       "--epochs", plan.emulated ? "1" : "30", "--require", plan.emulated ? "0.2" : "0.97"});
}

Step bench(const Plan& plan, const std::string& rows) {
  Step step = program(plan, "bench." + rows, "bench_cuda", {"--json", "--only", rows + ": "});
  step.reading = Reading::kBench;
  step.alone = true;
  return step;
}

// Its table has to be larger than the device.
Step large_table(const Plan& plan) {
  Step step = program(plan, "seeds.device_guard", "device_guard", {"cuda:0", "200000"});
  step.environment = {"LOCI_CUDA_DOUBLE=checks=all,memory=64M"};
  if (!plan.emulated) step.not_run = "its table would have to be larger than the device's memory";
  return step;
}

// The copies of the tutorial on switching devices, and none of them with its guard.
Step crop(const Plan& plan) {
  return program(plan, "seeds.crop", "loci",
                 {"run", plan.installation.data("crop"), "--device", "cuda:0", "--optimize", "none",
                  "--fetch", "crop_tensor_0.out", "--guard", "slice=cpu", "--transfers", "sync=0"});
}

}  // namespace

std::vector<Step> program_steps(const Plan& plan) {
  const std::string data = plan.installation.data("digits");
  // Captured steps learn what plain ones learn: the program compares their losses to the bit.
  const Step captured = program(plan, "training.captured", "graph_capture",
                                {"cuda:0", data, plan.emulated ? "3" : "200"});
  if (plan.quick) return {crop(plan)};
  return {
      large_table(plan),
      crop(plan),
      program(plan, "seeds.control_flow", "control_flow", {"cuda:0"}),
      program(plan, "seeds.bilinear", "bilinear", {"cuda:0", plan.emulated ? "1" : "50"}),
      captured,
      digits(plan, "training.program", "digits"),
      digits(plan, "training.imperative", "digits_imperative"),
  };
}

std::vector<Step> bench_steps(const Plan& plan) {
  std::vector<Step> steps;
  for (const char* rows : {"matmul", "conv2d", "bandwidth", "latency", "copies", "replay",
                           "profiler", "transformer"}) {
    steps.push_back(bench(plan, rows));
  }
  return steps;
}

}  // namespace loci::gpu_suite
