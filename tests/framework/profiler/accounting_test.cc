#include "framework/profiler/accounting.h"

#include <gtest/gtest.h>

#include <random>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using test_support::RecordingBuilder;

TEST(AccountingTest, WallIsSelfAndIdleAndUnaccounted) {
  RecordingBuilder builder;
  builder.run("run", 10, 100)
      .op("mul", "", 20, 40)
      .waited_copy({"x"}, 40, 55)
      .copy({"y"}, 55, 60)
      .wait("sim:0", 80, 100)
      .framework("fetch", 120, 130);
  builder.recording().wall_ns = 200;
  const Profile profile(builder.build());
  const loci_profile_thread& thread = profile.abi().threads[0];
  EXPECT_EQ(thread.wall_ns, 200U);
  EXPECT_EQ(thread.self_ns, 65U);
  EXPECT_EQ(thread.idle_ns, 35U);
  EXPECT_EQ(thread.unaccounted_ns, 100U);
}

TEST(AccountingTest, AFetchIsIdleThoughItCountsAsAsynchronous) {
  const Profile profile(
      RecordingBuilder().copy({.variable = "y", .reason = "fetch"}, 10, 30).build());
  const loci_profile_thread& thread = profile.abi().threads[0];
  EXPECT_EQ(thread.idle_ns, 20U);
  EXPECT_EQ(thread.self_ns, 0U);
  EXPECT_EQ(profile.abi().copies[0].waited, 0U);
}

TEST(AccountingTest, WhatAWaitContainsIsIdleOnce) {
  const Profile profile(RecordingBuilder()
                            .waited_copy({"x"}, 0, 100)
                            .wait("sim:0", 20, 80)
                            .call("cudaStreamSynchronize", 30, 70)
                            .build());
  const loci_profile_thread& thread = profile.abi().threads[0];
  EXPECT_EQ(thread.self_ns, 0U);
  EXPECT_EQ(thread.idle_ns, 100U);
  EXPECT_EQ(thread.unaccounted_ns, 0U);
}

TEST(AccountingTest, OtherThreadsLastFromTheirFirstToTheirLastSpan) {
  RecordingBuilder builder;
  builder.op("a", "", 100, 200).thread("worker").op("b", "", 300, 400).op("c", "", 450, 500);
  builder.recording().threads[1].os_id = 77;
  builder.recording().wall_ns = 1000;
  const Profile profile(builder.build());
  EXPECT_EQ(profile.abi().threads[0].wall_ns, 1000U);
  const loci_profile_thread& worker = profile.abi().threads[1];
  EXPECT_EQ(worker.wall_ns, 200U);
  EXPECT_EQ(worker.self_ns, 150U);
  EXPECT_EQ(worker.unaccounted_ns, 50U);
  EXPECT_EQ(worker.os_id, 77U);
  EXPECT_EQ(worker.number, 1U);
  EXPECT_EQ(worker.span_count, 2U);
  EXPECT_EQ(worker.name.size, 6U);
}

TEST(AccountingTest, ThreadWithoutSpansHasNoTime) {
  RecordingBuilder builder;
  builder.op("a", "", 0, 10).thread("worker");
  const Profile profile(builder.build());
  EXPECT_EQ(profile.abi().threads[1].wall_ns, 0U);
}

// Spans that the session does not cover are not hidden: the sum tells.
TEST(AccountingTest, SpansBeyondTheSessionShow) {
  RecordingBuilder builder;
  builder.op("a", "", 50, 150);
  builder.recording().wall_ns = 100;
  const Profile profile(builder.build());
  const loci_profile_thread& thread = profile.abi().threads[0];
  EXPECT_EQ(thread.unaccounted_ns, 50U);
  EXPECT_EQ(thread.self_ns, 100U);
}

// A random tree of spans within [begin, end].
void add_random(RecordingBuilder& builder, std::mt19937& random, std::uint64_t begin,
                std::uint64_t end, int depth) {
  std::uint64_t at = begin;
  while (at < end) {
    const std::uint64_t from = at + random() % 50;
    const std::uint64_t to = from + 1 + random() % 400;
    if (to > end) return;
    switch (random() % 4) {
      case 0: builder.waited_copy({"x"}, from, to); break;
      case 1: builder.wait("sim:0", from, to); break;
      default: builder.op("a", "", from, to); break;
    }
    if (depth < 4) add_random(builder, random, from, to, depth + 1);
    at = to;
  }
}

TEST(AccountingTest, IdentityHoldsForRandomTrees) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    RecordingBuilder builder;
    add_random(builder, random, 0, 5000, 0);
    builder.recording().wall_ns = 6000;
    const Profile profile(builder.build());
    const loci_profile_thread& thread = profile.abi().threads[0];
    ASSERT_GT(thread.idle_ns, 0U);
    ASSERT_EQ(thread.self_ns + thread.idle_ns + thread.unaccounted_ns, 6000U) << round;
  }
}

}  // namespace
}  // namespace loci::profiler
