#include "tests/gpu_suite/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace loci::gpu_suite {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

const Installation kThere("/there");

Plan plan_of(bool emulated, bool quick = false) {
  return {kThere, emulated, quick, "/out/scratch", "/out/logs"};
}

Step named(const std::vector<Step>& steps, const std::string& name) {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const Step& step) { return step.name == name; });
  return found == steps.end() ? Step{} : *found;
}

TEST(StepsTest, AreOfAllGroupsAndOfNamesOfTheirOwn) {
  for (const bool emulated : {false, true}) {
    std::set<std::string> groups;
    std::set<std::string> names;
    for (const Step& step : all_steps(plan_of(emulated))) {
      groups.insert(step.group());
      EXPECT_TRUE(names.insert(step.name).second) << step.name;
      EXPECT_GT(step.limit.count(), 0) << step.name;
    }
    EXPECT_THAT(groups, IsSupersetOf({"rules", "verify", "conformance", "tests", "seeds",
                                      "training", "sanitizer", "bench"}));
  }
}

TEST(StepsTest, ConformanceRunsEachFamilyAsCtestDoes) {
  const Step step = named(all_steps(plan_of(false)), "conformance.softmax");
  EXPECT_EQ(step.command[0], "/there/bin/conformance");
  EXPECT_THAT(step.command, IsSupersetOf({"cuda:0", "^softmax/", "--complete", "--absent"}));
  EXPECT_GT(test_settings().families.size(), 20U);
  EXPECT_THAT(test_settings().capture_filter, StartsWith("Places/"));
}

// Convolutions are cuDNN's by default where that is found.
TEST(StepsTest, ConvolutionsAreOfThePluginsOwnKernelsOnceToo) {
  const std::vector<Step> steps = all_steps(plan_of(false));
  EXPECT_THAT(named(steps, "conformance.conv2d").environment, Not(Contains("LOCI_CUDA_CUDNN=0")));
  const Step own = named(steps, "conformance.conv2d_own");
  EXPECT_THAT(own.command, IsSupersetOf({"cuda:0", "^(fused_)?conv2d/", "--complete"}));
  EXPECT_THAT(own.environment, Contains("LOCI_CUDA_CUDNN=0"));
  EXPECT_THAT(suite_environment(plan_of(true)),
              Contains("LOCI_CUDA_CUDNN=/there/lib/loci/cuda_double/libcudnn.so.9"));
}

TEST(StepsTest, AnsweredRulesAreComparedWithTheOtherDrivers) {
  EXPECT_THAT(named(all_steps(plan_of(false)), "rules.compared").command,
              Contains("/out/logs/rules.double.log"));
  EXPECT_THAT(named(all_steps(plan_of(true)), "rules.compared").command,
              Contains(HasSubstr("answers_h200")));
}

TEST(StepsTest, OnlyOnTheDoubleItsLibrariesAreTaken) {
  EXPECT_THAT(suite_environment(plan_of(true)),
              Contains("LOCI_CUDA_DRIVER=/there/lib/loci/cuda_double/libcuda.so.1"));
  EXPECT_THAT(suite_environment(plan_of(false)), Not(Contains(HasSubstr("cuda_double"))));
  EXPECT_THAT(suite_environment(plan_of(false)), Contains("LOCI_TEST_CUDA=device"));
  EXPECT_THAT(named(all_steps(plan_of(true)), "verify.cuda").command, Contains("--emulated"));
  EXPECT_THAT(named(all_steps(plan_of(false)), "verify.cuda").command, Not(Contains("--emulated")));
}

TEST(StepsTest, AQuickRunIsAPart) {
  EXPECT_LT(all_steps(plan_of(true, /*quick=*/true)).size(), all_steps(plan_of(true)).size() / 2);
}

}  // namespace
}  // namespace loci::gpu_suite
