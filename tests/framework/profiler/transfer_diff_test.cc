#include "framework/profiler/transfer_diff.h"

#include <gtest/gtest.h>

#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using test_support::RecordingBuilder;

ProfileDiff diff_of(const RecordingBuilder& a, std::size_t a_steps, const RecordingBuilder& b,
                    std::size_t b_steps) {
  ProfileDiff diff;
  compare_transfers(Profile(a.build()), a_steps, Profile(b.build()), b_steps, diff);
  return diff;
}

TEST(TransferDiffTest, GainedAndLostPerStep) {
  RecordingBuilder a;
  a.waited_copy({"x", "sim:0", "cpu", 8}, 0, 1).waited_copy({"x", "sim:0", "cpu", 8}, 1, 2);
  RecordingBuilder b;
  b.copy({"w", "cpu", "sim:0", 100, "feed"}, 0, 1);
  const ProfileDiff diff = diff_of(a, 2, b, 1);
  ASSERT_EQ(diff.transfers.size(), 2U);
  const TransferDiff& lost = diff.transfers[0];
  EXPECT_EQ(lost.variable, "x");
  EXPECT_EQ(lost.reason, "prepare_data");
  EXPECT_EQ(lost.source, "sim:0");
  EXPECT_EQ(lost.target, "cpu");
  EXPECT_TRUE(lost.host_waited);
  EXPECT_EQ(lost.a.calls, 2U);
  EXPECT_EQ(lost.a.bytes, 16U);
  EXPECT_EQ(lost.a.calls_per_step, 1);
  EXPECT_EQ(lost.a.bytes_per_step, 8);
  EXPECT_EQ(lost.b.calls, 0U);
  const TransferDiff& gained = diff.transfers[1];
  EXPECT_EQ(gained.reason, "feed");
  EXPECT_FALSE(gained.host_waited);
  EXPECT_EQ(gained.b.bytes_per_step, 100);
}

TEST(TransferDiffTest, SameTransfersPerStepAreNoChange) {
  RecordingBuilder a;
  a.copy({"x"}, 0, 1);
  RecordingBuilder b;
  b.copy({"x"}, 0, 1).copy({"x"}, 1, 2);
  EXPECT_TRUE(diff_of(a, 1, b, 2).transfers.empty());
  EXPECT_EQ(diff_of(a, 1, b, 1).transfers.size(), 1U);
}

TEST(TransferDiffTest, WaitingForItIsAnotherTransfer) {
  RecordingBuilder a;
  a.waited_copy({"x"}, 0, 1);
  RecordingBuilder b;
  b.copy({"x"}, 0, 1);
  const ProfileDiff diff = diff_of(a, 1, b, 1);
  ASSERT_EQ(diff.transfers.size(), 2U);
  EXPECT_TRUE(diff.transfers[0].host_waited);
  EXPECT_EQ(diff.transfers[0].a.calls, 1U);
  EXPECT_EQ(diff.transfers[1].b.calls, 1U);
  EXPECT_EQ(diff.waited_transfers.a.calls, 1U);
  EXPECT_EQ(diff.other_transfers.b.calls, 1U);
}

// Other labels, such as another consumer or size, are the same transfer.
TEST(TransferDiffTest, LabelsOfOneVariableAreSummed) {
  RecordingBuilder a;
  a.copy({"x", "cpu", "sim:0", 8, "feed", "", "m"}, 0, 1);
  a.copy({"x", "cpu", "sim:0", 24, "feed", "", "n"}, 1, 2);
  const ProfileDiff diff = diff_of(a, 1, RecordingBuilder(), 1);
  ASSERT_EQ(diff.transfers.size(), 1U);
  EXPECT_EQ(diff.transfers[0].a.calls, 2U);
  EXPECT_EQ(diff.transfers[0].a.bytes, 32U);
}

TEST(TransferDiffTest, CopiesWithinAPlaceAreNone) {
  RecordingBuilder a;
  a.copy({"x", "cpu", "cpu", 8, "local"}, 0, 1);
  const ProfileDiff diff = diff_of(a, 1, RecordingBuilder(), 1);
  EXPECT_TRUE(diff.transfers.empty());
  EXPECT_EQ(diff.other_transfers.a.calls, 0U);
}

}  // namespace
}  // namespace loci::profiler
