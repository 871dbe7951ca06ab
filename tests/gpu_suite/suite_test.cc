// The suite as it is typed, on the double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/subprocess.h"

namespace loci::gpu_suite {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

test::Finished suite(std::vector<std::string> arguments,
                     const std::vector<std::string>& environment = {}) {
  arguments.insert(arguments.begin(), test::build_path("bin/gpu-suite"));
  return test::run_process(arguments, environment);
}

TEST(GpuSuiteTest, RunsAStepOfEachKindAndReportsIt) {
  const test::ScratchDirectory scratch;
  const test::Finished finished =
      suite({"--emulated", "--quick", "--output", scratch.path("out"), "--only",
             "^(verify|conformance.random|tests|sanitizer.memcheck|bench.(replay|transformer))"});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  const auto report = nlohmann::json::parse(scratch.read("out/report.json"));
  EXPECT_EQ(report["emulated"], true);
  EXPECT_EQ(report["passed"], 5) << report.dump(2);
  EXPECT_EQ(report["skipped"], 1);
  EXPECT_GT(report["steps"][1]["counts"]["passed"], 10) << report.dump(2);
  EXPECT_THAT(scratch.read("out/report.txt"),
              AllOf(HasSubstr("(emulated)"), HasSubstr("nothing here was measured on a GPU"),
                    HasSubstr("5 passed, 0 failed, 1 skipped")));
  EXPECT_THAT(scratch.read("out/logs/conformance.random.log"), HasSubstr("cuda:0"));
}

// The comparison has no log of the rules, which were not asked.
TEST(GpuSuiteTest, AFailureDoesNotStopTheOthers) {
  const test::ScratchDirectory scratch;
  const test::Finished finished = suite(
      {"--emulated", "--output", scratch.path("out"), "--only", "^(rules.compared|bench.replay)$"});
  EXPECT_EQ(finished.exit_code, 1) << finished.out;
  const auto report = nlohmann::json::parse(scratch.read("out/report.json"));
  EXPECT_EQ(report["steps"].size(), 2U);
  EXPECT_EQ(report["steps"][0]["outcome"], "failed") << report.dump(2);
  EXPECT_THAT(report["steps"][0]["message"].get<std::string>(), HasSubstr("rules.driver.log"));
  EXPECT_EQ(report["steps"][1]["outcome"], "passed") << report.dump(2);
}

TEST(GpuSuiteTest, WithoutADeviceItSaysSo) {
  const test::Finished finished =
      suite({"--output", "/absent/out"}, {"LOCI_CUDA_DRIVER=/absent/libcuda.so.1"});
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_THAT(finished.err, HasSubstr("there is no CUDA device"));
}

TEST(GpuSuiteTest, TheDoubleDoesNotPassForADevice) {
  const test::Finished finished =
      suite({"--output", "/absent/out"},
            {"LOCI_CUDA_DRIVER=" + test::build_path("lib/loci/cuda_double/libcuda.so.1")});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, HasSubstr("LOCI_CUDA_DRIVER names the double of the driver"));
}

TEST(GpuSuiteTest, AFilterThatNamesNothingIsRefused) {
  const test::Finished finished = suite({"--only", "nothing"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, HasSubstr("--only nothing: there is no such step"));
}

}  // namespace
}  // namespace loci::gpu_suite
