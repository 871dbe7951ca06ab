#include "framework/profiler/step_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "framework/profiler/aligned_paths.h"
#include "tests/framework/profiler/path_text.h"
#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using profiler_test::path_text;
using test_support::RecordingBuilder;
using ::testing::ElementsAre;

struct Measured {
  explicit Measured(const Recording& recording) : profile(recording) {
    AlignedPaths paths(profile.abi(), profile.abi());
    numbers = paths.number(profile.abi());
    times = measure_steps(profile, numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      by_path[path_text(paths.path(numbers[i]))] = times.owners[numbers[i]];
    }
  }
  [[nodiscard]] std::uint64_t sum_of_owners() const {
    std::uint64_t sum = 0;
    for (const auto& [owner, time] : times.owners) sum += time.total_ns;
    return sum;
  }
  [[nodiscard]] std::uint64_t sum_of_steps() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t ns : times.steps_ns) sum += ns;
    return sum;
  }

  Profile profile;
  std::vector<std::uint32_t> numbers;
  StepTimes times;
  std::map<std::string, OwnedTime> by_path;
};

TEST(StepTimesTest, EachNanosecondHasOneOwner) {
  Measured measured(RecordingBuilder()
                        .step(10, 110)
                        .step(110, 160)
                        .op("mul", "m", 20, 60)
                        .phase("compute", 30, 50)
                        .waited_copy({"x"}, 60, 75)
                        .wait("sim:0", 65, 70)
                        .op("mul", "m", 120, 130)
                        .build());
  EXPECT_THAT(measured.times.steps_ns, ElementsAre(100, 50));
  EXPECT_THAT(measured.by_path["m"].by_step_ns, ElementsAre(20, 10));
  EXPECT_EQ(measured.by_path["m"].total_ns, 30U);
  EXPECT_EQ(measured.by_path["m"].calls, 2U);
  EXPECT_THAT(measured.by_path["m/compute"].by_step_ns, ElementsAre(20));
  EXPECT_THAT(measured.times.owners[kIdleTime].by_step_ns, ElementsAre(15));
  EXPECT_THAT(measured.times.owners[kUnaccountedTime].by_step_ns, ElementsAre(45, 40));
  EXPECT_EQ(measured.sum_of_owners(), 150U);
}

TEST(StepTimesTest, SpanOverSeveralStepsIsCutAtThem) {
  Measured measured(RecordingBuilder()
                        .step(10, 20)
                        .step(30, 50)
                        .user("epoch", 0, 100)
                        .op("a", "", 15, 35)
                        .build());
  EXPECT_THAT(measured.by_path["epoch"].by_step_ns, ElementsAre(5, 15));
  EXPECT_THAT(measured.by_path["epoch/a"].by_step_ns, ElementsAre(5, 5));
  EXPECT_EQ(measured.sum_of_owners(), 30U);
}

TEST(StepTimesTest, SpansOutsideOfStepsTakeNoTime) {
  Measured measured(
      RecordingBuilder().op("before", "", 0, 5).step(10, 20).op("after", "", 30, 40).build());
  EXPECT_EQ(measured.by_path["before"].total_ns, 0U);
  EXPECT_EQ(measured.by_path["after"].total_ns, 0U);
  EXPECT_EQ(measured.times.owners[kUnaccountedTime].total_ns, 10U);
}

TEST(StepTimesTest, OtherThreadsRunBeside) {
  Measured measured(RecordingBuilder()
                        .step(0, 100)
                        .op("a", "", 0, 60)
                        .thread("worker")
                        .op("a", "", 0, 90)
                        .op("b", "", 90, 95)
                        .build());
  EXPECT_EQ(measured.by_path["a"].total_ns, 60U);
  EXPECT_EQ(measured.by_path["a"].calls, 1U);
  EXPECT_EQ(measured.by_path["b"].total_ns, 0U);
}

TEST(StepTimesTest, SessionStandsForTheStepItHasNot) {
  Measured measured(RecordingBuilder().op("a", "", 20, 60).build());
  EXPECT_FALSE(measured.times.has_steps);
  EXPECT_THAT(measured.times.steps_ns, ElementsAre(60));
  EXPECT_EQ(measured.by_path["a"].total_ns, 40U);
  EXPECT_EQ(measured.times.owners[kUnaccountedTime].total_ns, 20U);
}

TEST(StepTimesTest, DeviceTimeIsOfWhatLaunchedIt) {
  Measured measured(RecordingBuilder()
                        .step(0, 50)
                        .op("a", "", 0, 40)
                        .phase("compute", 10, 20)
                        .kernel("k", 30, 130)
                        .build());
  EXPECT_EQ(measured.by_path["a"].device_ns, 0U);
  EXPECT_EQ(measured.by_path["a/compute"].device_ns, 100U);
}

TEST(StepTimesTest, OverlappingStepIsLeftOut) {
  Measured measured(RecordingBuilder().step(0, 50).step(40, 70).step(50, 60).build());
  EXPECT_THAT(measured.times.steps_ns, ElementsAre(50, 10));
}

TEST(StepTimesTest, OwnersAddUpToTheStepsWhateverThereIs) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    RecordingBuilder builder;
    for (std::uint64_t at = random() % 100; at < 4000; at += random() % 300) {
      const std::uint64_t begin = at;
      at += random() % 500;
      builder.step(begin, at);
    }
    for (std::uint64_t at = random() % 200; at < 4500;) {
      const std::uint64_t end = at + random() % 700;
      builder.op("outer", "", at, end);
      if (end - at > 100) builder.waited_copy({"x"}, at + 10, at + 60).op("in", "", at + 70, end);
      at = end + random() % 50;
    }
    Measured measured(builder.build());
    ASSERT_EQ(measured.sum_of_owners(), measured.sum_of_steps()) << round;
  }
}

}  // namespace
}  // namespace loci::profiler
