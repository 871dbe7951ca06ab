#include "tools/loci/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::runner {
namespace {

using ::testing::HasSubstr;

TEST(ExitCodeTest, InvalidArgumentIsUsageInOptionsAndBadInputInData) {
  EXPECT_EQ(exit_code(ErrorCode::kInvalidArgument, Phase::kOptions), ExitCode::kUsage);
  EXPECT_EQ(exit_code(ErrorCode::kInvalidArgument, Phase::kDevices), ExitCode::kUsage);
  EXPECT_EQ(exit_code(ErrorCode::kInvalidArgument, Phase::kModel), ExitCode::kBadInput);
  EXPECT_EQ(exit_code(ErrorCode::kInvalidArgument, Phase::kRun), ExitCode::kBadInput);
}

TEST(ExitCodeTest, WhatIsNotThereDependsOnWhatWasLookedFor) {
  EXPECT_EQ(exit_code(ErrorCode::kNotFound, Phase::kOptions), ExitCode::kUsage);
  EXPECT_EQ(exit_code(ErrorCode::kNotFound, Phase::kDevices), ExitCode::kNotAvailable);
  EXPECT_EQ(exit_code(ErrorCode::kNotFound, Phase::kModel), ExitCode::kBadInput);
}

TEST(ExitCodeTest, UnsupportedIsABadModelOrAMissingKernel) {
  for (const ErrorCode error : {ErrorCode::kUnsupported, ErrorCode::kIncompatible}) {
    EXPECT_EQ(exit_code(error, Phase::kModel), ExitCode::kBadInput);
    EXPECT_EQ(exit_code(error, Phase::kDevices), ExitCode::kNotAvailable);
    EXPECT_EQ(exit_code(error, Phase::kRun), ExitCode::kNotAvailable);
  }
}

TEST(ExitCodeTest, SomeMeanTheSameEverywhere) {
  for (const Phase phase : {Phase::kOptions, Phase::kDevices, Phase::kModel, Phase::kRun}) {
    EXPECT_EQ(exit_code(ErrorCode::kUnavailable, phase), ExitCode::kNotAvailable);
    EXPECT_EQ(exit_code(ErrorCode::kPolicy, phase), ExitCode::kPolicy);
    EXPECT_EQ(exit_code(ErrorCode::kOutOfMemory, phase), ExitCode::kFailed);
    EXPECT_EQ(exit_code(ErrorCode::kInternal, phase), ExitCode::kFailed);
  }
}

TEST(ExitCodeTest, DamagedDataIsBadInputAndDamagedPluginsAreNotAvailable) {
  EXPECT_EQ(exit_code(ErrorCode::kDataLoss, Phase::kModel), ExitCode::kBadInput);
  EXPECT_EQ(exit_code(ErrorCode::kDataLoss, Phase::kDevices), ExitCode::kNotAvailable);
  EXPECT_EQ(exit_code(ErrorCode::kFailed, Phase::kRun), ExitCode::kFailed);
  EXPECT_EQ(exit_code(ErrorCode::kFailed, Phase::kDevices), ExitCode::kNotAvailable);
  EXPECT_EQ(exit_code(ErrorCode::kPermissionDenied, Phase::kModel), ExitCode::kBadInput);
  EXPECT_EQ(exit_code(ErrorCode::kPermissionDenied, Phase::kRun), ExitCode::kFailed);
}

TEST(ExitCodeTest, HelpListsAllSeven) {
  for (const char* number : {"  0  ", "  1  ", "  2  ", "  3  ", "  4  ", "  5  ", "  6  "}) {
    EXPECT_THAT(exit_code_help(), HasSubstr(number));
  }
}

TEST(InPhaseTest, TurnsAnErrorIntoAFailureWithItsDetails) {
  try {
    in_phase(Phase::kModel,
             [] { throw Error(ErrorCode::kNotFound, "no model", "looked at a, b"); });
    FAIL() << "nothing was thrown";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kBadInput);
    EXPECT_STREQ(failure.what(), "no model");
    EXPECT_EQ(failure.details(), "looked at a, b");
  }
}

TEST(InPhaseTest, ReturnsTheResultAndLeavesAFailureAlone) {
  EXPECT_EQ(in_phase(Phase::kRun, [] { return 7; }), 7);
  try {
    in_phase(Phase::kModel, [] { throw Failure(ExitCode::kPolicy, "mine"); });
    FAIL() << "nothing was thrown";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kPolicy);
  }
}

}  // namespace
}  // namespace loci::runner
