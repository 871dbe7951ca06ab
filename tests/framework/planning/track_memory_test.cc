#include "framework/planning/track_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <random>
#include <utility>
#include <vector>

namespace loci::planning {
namespace {

constexpr std::size_t kTracks = 3;

// Instructions of several tracks, each of which makes a buffer that others use.
struct Step {
  explicit Step(std::size_t instructions) : timeline(Timeline::concurrent(instructions)) {}
  Timeline timeline;
  std::vector<Clock> ended;  // of each buffer
  std::vector<TrackBuffer> buffers;
};

// Instructions hear of another track when they read a buffer of one of the few before them.
Step random_step(std::size_t instructions, std::mt19937& random) {
  Step step(instructions);
  std::vector<Clock> after(instructions);  // what is known at the end of each instruction
  std::vector<Clock> of_track(kTracks);    // and of the last one of each track
  step.ended.resize(instructions);
  for (std::size_t i = 0; i < instructions; ++i) {
    const std::size_t track = random() % kTracks;
    Clock known = of_track[track];
    const std::size_t read = i - std::min<std::size_t>(i, 1 + random() % 12);
    if (read < i) join(&known, after[read]);
    after[i] = step.timeline.place(i, track, known);
    of_track[track] = after[i];
    Clock moment(track + 1);
    moment[track] = step.timeline.time(i);
    step.buffers.push_back({64 * (random() % 64), static_cast<std::int32_t>(i),
                            static_cast<std::int32_t>(i), nullptr});
    join(&step.ended[i], moment);
    if (read < i) {
      join(&step.ended[read], moment);
      step.buffers[read].last = static_cast<std::int32_t>(i);
    }
  }
  for (std::size_t i = 0; i < instructions; ++i) {
    if (i % 50 != 0) step.buffers[i].ended = &step.ended[i];
  }
  return step;
}

bool ends_before(const Step& step, std::size_t buffer, std::size_t other) {
  const Clock* ended = step.buffers[buffer].ended;
  if (ended == nullptr) return false;
  for (std::size_t track = 0; track < ended->size(); ++track) {
    const auto first = static_cast<std::size_t>(step.buffers[other].first);
    if ((*ended)[track] > step.timeline.known(first, track)) return false;
  }
  return true;
}

bool meet(const Step& step, std::size_t a, std::size_t b) {
  return !ends_before(step, a, b) && !ends_before(step, b, a);
}

void expect_disjoint(const Step& step, const MemoryPlan& plan) {
  for (std::size_t i = 0; i < step.buffers.size(); ++i) {
    const std::uint64_t begin = plan.offsets[i];
    const std::uint64_t end = begin + step.buffers[i].bytes;
    ASSERT_EQ(begin % kArenaAlignment, 0U);
    ASSERT_LE(end, plan.bytes);
    for (std::size_t j = 0; j < i; ++j) {
      const std::uint64_t other = plan.offsets[j];
      const bool overlap = begin < other + step.buffers[j].bytes && other < end;
      ASSERT_FALSE(overlap && meet(step, i, j)) << i << " and " << j;
    }
  }
}

std::uint64_t greedy_bytes(const Step& step) {
  std::vector<std::uint64_t> sizes;
  for (const TrackBuffer& buffer : step.buffers) sizes.push_back(buffer.bytes);
  return plan_memory(sizes, [&](std::size_t a, std::size_t b) { return meet(step, a, b); }).bytes;
}

TEST(TrackMemoryTest, WhatMayMeetNeverOverlaps) {
  std::mt19937 random(7);
  for (int round = 0; round < 5; ++round) {
    const Step step = random_step(2000, random);
    expect_disjoint(step, plan_memory(step.buffers, step.timeline));
  }
}

TEST(TrackMemoryTest, TakesAFewTimesWhatGreedyBySizeDoesAtMost) {
  std::mt19937 random(7);
  for (int round = 0; round < 5; ++round) {
    const Step step = random_step(2000, random);
    const MemoryPlan plan = plan_memory(step.buffers, step.timeline);
    EXPECT_LT(static_cast<double>(plan.bytes), 2.5 * static_cast<double>(greedy_bytes(step)));
  }
}

// The first track makes what the second uses, and hears of the end of each by the next one but one.
TEST(TrackMemoryTest, ATrackTakesWhatItKnowsThatAnotherHasEnded) {
  constexpr std::size_t kPairs = 100;
  Step step(2 * kPairs);
  step.ended.resize(kPairs);
  std::vector<Clock> consumed(kPairs);
  Clock producer;
  Clock consumer;
  for (std::size_t i = 0; i < kPairs; ++i) {
    if (i >= 2) join(&producer, consumed[i - 2]);
    producer = step.timeline.place(2 * i, 0, producer);
    join(&consumer, producer);
    consumer = step.timeline.place(2 * i + 1, 1, consumer);
    consumed[i] = consumer;
    step.ended[i] = {step.timeline.time(2 * i), step.timeline.time(2 * i + 1)};
    step.buffers.push_back({1024, static_cast<std::int32_t>(2 * i),
                            static_cast<std::int32_t>(2 * i + 1), &step.ended[i]});
  }
  const MemoryPlan plan = plan_memory(step.buffers, step.timeline);
  expect_disjoint(step, plan);
  EXPECT_LE(plan.bytes, 3 * 1024U);
}

// Ten times as many take ten times as long, not a hundred.
TEST(TrackMemoryTest, TimeIsThatOfSorting) {
  std::mt19937 random(7);
  const auto time_of = [&](std::size_t instructions) {
    const Step step = random_step(instructions, random);
    std::array<double, 3> times{};
    for (double& time : times) {
      const std::clock_t start = std::clock();
      EXPECT_GT(plan_memory(step.buffers, step.timeline).bytes, 0U);
      time = static_cast<double>(std::clock() - start);
    }
    return *std::min_element(times.begin(), times.end());
  };
  EXPECT_LT(time_of(50'000), 40 * time_of(5'000));
}

TEST(TrackMemoryTest, NothingNeedsNoMemory) {
  EXPECT_EQ(plan_memory(std::vector<TrackBuffer>{}, Timeline::concurrent(0)).bytes, 0U);
  const Timeline timeline = Timeline::concurrent(1);
  EXPECT_EQ(plan_memory(std::vector<TrackBuffer>{{}}, timeline).bytes, 0U);
}

}  // namespace
}  // namespace loci::planning
