// cuda_rules_test [--gtest_filter=...]: the rules of the CUDA driver, checked on the one that
// LOCI_CUDA_DRIVER names, else on libcuda.so.1. Skips where there is none.
#include <gtest/gtest.h>

#include <cstdlib>

#include "supervisor.h"
#include "watchdog.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  ::testing::InitGoogleTest(&argc, argv);
  const bool lists = ::testing::GTEST_FLAG(list_tests);
  if (std::getenv(loci::cuda_rules::kChildVariable) == nullptr && !lists) {
    return loci::cuda_rules::supervise(arguments);
  }
  ::testing::UnitTest::GetInstance()->listeners().Append(
      new loci::cuda_rules::Watchdog(std::chrono::seconds(20)));
  return RUN_ALL_TESTS();
}
