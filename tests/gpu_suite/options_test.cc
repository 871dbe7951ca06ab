#include "tests/gpu_suite/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace loci::gpu_suite {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Options parsed(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "gpu-suite");
  return parse_options(static_cast<int>(arguments.size()), const_cast<char**>(arguments.data()));
}

TEST(GpuSuiteOptionsTest, AreReadInAnyOrder) {
  const Options options =
      parsed({"--output", "there", "--quick", "--only", "^bench", "--emulated", "--jobs", "4"});
  EXPECT_TRUE(options.quick);
  EXPECT_TRUE(options.emulated);
  EXPECT_EQ(options.output, "there");
  EXPECT_EQ(options.only, "^bench");
  EXPECT_EQ(options.jobs, 4);
  EXPECT_FALSE(parsed({}).emulated);
}

TEST(GpuSuiteOptionsTest, StepsAreWantedByAPartOfTheirNames) {
  EXPECT_TRUE(is_wanted(parsed({}), "bench.replay"));
  EXPECT_TRUE(is_wanted(parsed({"--only", "(bench|rules)[.]r"}), "bench.replay"));
  EXPECT_FALSE(is_wanted(parsed({"--only", "^replay"}), "bench.replay"));
}

TEST(GpuSuiteOptionsTest, NoPatternTakesLong) {
  const Options options = parsed({"--only", "(a+)+b"});
  EXPECT_FALSE(is_wanted(options, std::string(100'000, 'a')));
}

TEST(GpuSuiteOptionsTest, WhatIsWrongIsNamed) {
  const auto refusal = [](const char* text) {
    return ThrowsMessage<std::invalid_argument>(HasSubstr(text));
  };
  EXPECT_THAT([] { (void)parsed({"--fast"}); }, refusal("no option --fast"));
  EXPECT_THAT([] { (void)parsed({"--output"}); }, refusal("--output wants a value"));
  EXPECT_THAT([] { (void)parsed({"--output", ""}); }, refusal("--output wants a value"));
  EXPECT_THAT([] { (void)parsed({"--jobs", "0"}); }, refusal("--jobs 0 is no number"));
  EXPECT_THAT([] { (void)parsed({"--jobs", "4x"}); }, refusal("--jobs 4x is no number"));
  EXPECT_THAT([] { (void)parsed({"--only", "("}); }, refusal("--only (: missing )"));
}

}  // namespace
}  // namespace loci::gpu_suite
