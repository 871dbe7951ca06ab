#include "framework/profiler/profile_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "tests/framework/profiler/diff_runs.h"
#include "tests/framework/profiler/path_text.h"

namespace loci::profiler {
namespace {

using profiler_test::crop_run;
using profiler_test::path_text;
using profiler_test::slice_run;
using test_support::RecordingBuilder;
using test_support::us;
using Kind = DiffRow::Kind;

ProfileDiff diff_of(const RecordingBuilder& a, const RecordingBuilder& b) {
  return compare(Profile(a.build()), Profile(b.build()));
}

const DiffRow& row_of(const ProfileDiff& diff, const std::string& path) {
  for (const DiffRow& row : diff.rows) {
    if (path_text(row.path) == path) return row;
  }
  throw std::out_of_range("there is no row " + path);
}

const DiffRow& row_of(const ProfileDiff& diff, Kind kind) {
  for (const DiffRow& row : diff.rows) {
    if (row.kind == kind) return row;
  }
  throw std::out_of_range("there is no row of that kind");
}

std::int64_t sum_of_rows(const ProfileDiff& diff) {
  std::int64_t sum = 0;
  for (const DiffRow& row : diff.rows) sum += row.delta_ns;
  return sum;
}

TEST(ProfileDiffTest, StepIsComparedByItsMedian) {
  const ProfileDiff diff = diff_of(slice_run(), crop_run());
  EXPECT_EQ(diff.step.a.median.count, 10U);
  EXPECT_EQ(diff.step.a.median.value, us(1000) + 900);
  EXPECT_EQ(diff.step.a.median.low, us(1000) + 200);
  EXPECT_EQ(diff.step.a.median.high, us(1000) + 1600);
  EXPECT_EQ(diff.step.delta_ns, -static_cast<std::int64_t>(us(300)));
  EXPECT_NEAR(diff.step.percent, -29.9730, 1e-3);
  EXPECT_EQ(diff.step.significance, Significance::kYes);
}

TEST(ProfileDiffTest, RowsSayWhereItWent) {
  const ProfileDiff diff = diff_of(slice_run(), crop_run());
  const DiffRow& idle = row_of(diff, Kind::kIdle);
  EXPECT_EQ(idle.delta_ns, -static_cast<std::int64_t>(us(400)));
  EXPECT_EQ(idle.significance, Significance::kYes);
  EXPECT_EQ(row_of(diff, "run/slice_0/compute").kind, Kind::kOnlyA);
  EXPECT_EQ(row_of(diff, "run/slice_0/compute").delta_ns, -static_cast<std::int64_t>(us(300)));
  EXPECT_EQ(row_of(diff, "run/crop_0/compute").kind, Kind::kOnlyB);
  EXPECT_EQ(row_of(diff, "run/crop_0/compute").delta_ns, us(400));
  EXPECT_EQ(row_of(diff, "run/crop_0").delta_ns, us(100));
  const DiffRow& plan = row_of(diff, "run/plan");
  EXPECT_EQ(plan.kind, Kind::kBoth);
  EXPECT_EQ(plan.delta_ns, 0);
  EXPECT_EQ(plan.a.median.value, us(100));
  EXPECT_EQ(plan.a.calls, 1);
  EXPECT_EQ(row_of(diff, Kind::kUnaccounted).delta_ns, 0);
  EXPECT_EQ(path_text(diff.rows[0].path), "run/crop_0/compute");
}

TEST(ProfileDiffTest, DeltasAddUpToTheStepsDelta) {
  const ProfileDiff diff = diff_of(slice_run(), crop_run());
  EXPECT_EQ(sum_of_rows(diff), diff.step.delta_ns);
}

// A run of random steps whose number and times are no round figures.
RecordingBuilder random_run(std::mt19937& random, std::uint64_t steps) {
  RecordingBuilder builder;
  std::uint64_t at = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::uint64_t begin = at;
    for (std::uint32_t op = 0; op < 7; ++op) {
      const std::uint64_t end = at + 1 + random() % 1000;
      builder.op("op", "op_" + std::to_string(random() % 9), at, end);
      if (random() % 3 == 0) builder.wait("sim:0", at, at + (end - at) / 3);
      at = end + random() % 7;
    }
    builder.step(begin, at);
  }
  return builder;
}

TEST(ProfileDiffTest, DeltasAddUpToTheNanosecondWhateverTheRunsAre) {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    const ProfileDiff diff =
        diff_of(random_run(random, 1 + random() % 9), random_run(random, 1 + random() % 9));
    ASSERT_EQ(sum_of_rows(diff), diff.step.delta_ns) << round;
    double a = 0;
    for (const DiffRow& row : diff.rows) a += row.a.mean_ns;
    ASSERT_NEAR(a, diff.step.a.mean_ns, 1e-6) << round;
    for (const DiffRow& row : diff.rows) {
      ASSERT_NEAR(static_cast<double>(row.delta_ns), row.b.mean_ns - row.a.mean_ns, 1.001) << round;
    }
  }
}

TEST(ProfileDiffTest, WaitedTransfersOfTheSliceAreLost) {
  const ProfileDiff diff = diff_of(slice_run(), crop_run());
  EXPECT_EQ(diff.waited_transfers.a.calls, 20U);
  EXPECT_EQ(diff.waited_transfers.b.calls, 0U);
  EXPECT_EQ(diff.waited_transfers.a.calls_per_step, 2);
  ASSERT_EQ(diff.transfers.size(), 2U);
  EXPECT_EQ(diff.transfers[0].variable, "ends");
}

TEST(ProfileDiffTest, RunAgainstItselfHasNoChange) {
  const ProfileDiff diff = diff_of(slice_run(), slice_run());
  EXPECT_EQ(diff.step.percent, 0);
  EXPECT_EQ(diff.step.significance, Significance::kNo);
  EXPECT_TRUE(diff.transfers.empty());
  for (const DiffRow& row : diff.rows) EXPECT_EQ(row.delta_ns, 0);
}

// Steps of which one side's medians lie among the other's.
RecordingBuilder steps_of(const std::vector<std::uint64_t>& lengths) {
  RecordingBuilder builder;
  std::uint64_t at = 0;
  for (const std::uint64_t length : lengths) {
    builder.step(at, at + length);
    at += length;
  }
  return builder;
}

TEST(ProfileDiffTest, ChangeWithinTheIntervalsIsChance) {
  const ProfileDiff diff =
      diff_of(steps_of({90, 95, 100, 105, 110, 120}), steps_of({92, 99, 104, 111, 119, 130}));
  EXPECT_GT(diff.step.percent, 0);
  EXPECT_EQ(diff.step.significance, Significance::kNo);
  EXPECT_FALSE(is_slower_by(diff, 1));
}

TEST(ProfileDiffTest, SlowerByMoreThanTheLimit) {
  const ProfileDiff diff = diff_of(crop_run(), slice_run());
  EXPECT_NEAR(diff.step.percent, 42.802, 0.01);
  EXPECT_TRUE(is_slower_by(diff, 42));
  EXPECT_FALSE(is_slower_by(diff, 43));
  EXPECT_FALSE(is_slower_by(diff_of(slice_run(), crop_run()), 5));
}

TEST(ProfileDiffTest, TooFewStepsCountAsTheyAre) {
  const ProfileDiff diff = diff_of(steps_of({100, 100}), steps_of({130, 130, 130}));
  EXPECT_EQ(diff.step.significance, Significance::kUnknown);
  EXPECT_TRUE(is_slower_by(diff, 20));
  EXPECT_FALSE(is_slower_by(diff, 40));
}

TEST(ProfileDiffTest, StepsOfDifferentNumbersAreMeans) {
  RecordingBuilder a;
  a.op("x", "", 0, 10).step(0, 10).op("x", "", 10, 30).step(10, 30);
  RecordingBuilder b;
  b.op("x", "", 0, 20).step(0, 20);
  const ProfileDiff diff = diff_of(a, b);
  EXPECT_EQ(row_of(diff, "x").a.mean_ns, 15);
  EXPECT_EQ(row_of(diff, "x").delta_ns, 5);
  EXPECT_EQ(row_of(diff, "x").a.calls, 1);
}

TEST(ProfileDiffTest, RunsOfOneSideAreTransparent) {
  RecordingBuilder eager;
  eager.step(0, 100).op("mul", "m", 0, 60);
  RecordingBuilder replayed;
  replayed.step(0, 100).run("replay", 0, 90).op("mul", "m", 10, 50);
  const ProfileDiff diff = diff_of(eager, replayed);
  EXPECT_EQ(row_of(diff, "m").kind, Kind::kBoth);
  EXPECT_EQ(row_of(diff, "m").delta_ns, -20);
  EXPECT_EQ(row_of(diff, "replay").kind, Kind::kOnlyB);
  EXPECT_EQ(row_of(diff, "replay").delta_ns, 50);
}

TEST(ProfileDiffTest, StepWithoutTimeHasNoPercentage) {
  const ProfileDiff diff = diff_of(steps_of({0}), steps_of({10}));
  EXPECT_TRUE(std::isinf(diff.step.percent));
  EXPECT_EQ(diff_of(steps_of({0}), steps_of({0})).step.percent, 0);
}

TEST(ProfileDiffTest, HasTheFactsOfBothSides) {
  RecordingBuilder crop = crop_run();
  crop.recording().build = "other";
  const ProfileDiff diff = diff_of(slice_run(), crop);
  EXPECT_EQ(diff.a.build, "test");
  EXPECT_EQ(diff.b.build, "other");
  EXPECT_EQ(diff.b.steps, profiler_test::kSteps);
}

TEST(ProfileDiffTest, EmptyProfilesCompare) {
  const ProfileDiff diff = compare(Profile(Recording{}), Profile(Recording{}));
  EXPECT_EQ(diff.step.delta_ns, 0);
  EXPECT_TRUE(diff.rows.empty());
}

TEST(ProfileDiffTest, DeviceTimeStandsBesideTheHosts) {
  RecordingBuilder a;
  a.step(0, 50).step(50, 100).op("mul", "m", 0, 10).kernel("k", 10, 40);
  const ProfileDiff diff = diff_of(a, a);
  EXPECT_EQ(row_of(diff, "m").a.device_ns, 15);
}

}  // namespace
}  // namespace loci::profiler
