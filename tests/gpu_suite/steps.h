// The suite runs these, in order.
#pragma once

#include <string>
#include <vector>

#include "tests/gpu_suite/installation.h"
#include "tests/gpu_suite/step.h"

namespace loci::gpu_suite {

struct Plan {
  const Installation& installation;
  bool emulated = false;
  bool quick = false;
  std::string scratch;  // a folder that is there, for what programs write
  std::string logs;     // where the output of earlier steps is, "<name>.log"
};

// CMake knows this of the tests: families of conformance cases, the options that the tests of ctest
// give them at cuda:0, and the capture tests that a CUDA device passes.
struct TestSettings {
  std::vector<std::string> families;
  std::vector<std::string> conformance_options;
  std::string capture_filter;
};
const TestSettings& test_settings();

std::vector<Step> all_steps(const Plan& plan);

// "NAME=value" of the double's libraries; of a real device nothing but where the plugins are.
std::vector<std::string> suite_environment(const Plan& plan);

// These give the steps by what is run; each is in a file of its own.
std::vector<Step> rule_steps(const Plan& plan);
std::vector<Step> verify_steps(const Plan& plan);
std::vector<Step> conformance_steps(const Plan& plan);
std::vector<Step> test_steps(const Plan& plan);
std::vector<Step> program_steps(const Plan& plan);
std::vector<Step> sanitizer_steps(const Plan& plan);
std::vector<Step> bench_steps(const Plan& plan);

}  // namespace loci::gpu_suite
