#include "tests/gpu_suite/steps.h"

namespace loci::gpu_suite {

std::vector<Step> all_steps(const Plan& plan) {
  std::vector<Step> steps;
  for (const auto& make : {rule_steps, verify_steps, conformance_steps, test_steps, program_steps,
                           sanitizer_steps, bench_steps}) {
    for (Step& step : make(plan)) steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<std::string> suite_environment(const Plan& plan) {
  const Installation& at = plan.installation;
  std::vector<std::string> environment{
      "LOCI_PLUGIN_PATH=" + at.plugins(),
      "LOCI_TEST_BUILD_DIRECTORY=" + at.root(),
      "LOCI_PEERS_SCRIPTS=" + at.data("peers"),
  };
  if (const std::string python = find_program("python3"); !python.empty()) {
    environment.push_back("LOCI_PEERS_PYTHON=" + python);
  }
  if (plan.emulated) {
    environment.push_back("LOCI_CUDA_DRIVER=" + at.double_of("libcuda.so.1"));
    environment.push_back("LOCI_CUDA_CUBLASLT=" + at.double_of("libcublasLt.so.13"));
    environment.push_back("LOCI_CUDA_CUDNN=" + at.double_of("libcudnn.so.9"));
    environment.push_back("LOCI_CUDA_CUPTI=" + at.double_of("libcupti.so.13"));
    environment.emplace_back("LOCI_CUDA_DOUBLE=checks=all");
  } else {
    environment.emplace_back("LOCI_TEST_CUDA=device");  // tests would take the double otherwise
  }
  return environment;
}

}  // namespace loci::gpu_suite
