#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/profiler.hpp>
#include <string>

namespace loci {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ProfilerOptionsTest, LeaveTheClassicReportItsDefaults) {
  const ProfilerOptions::Values values = ProfilerOptions().values();
  EXPECT_EQ(values.state, "");
  EXPECT_EQ(values.tracer_option, "");
  EXPECT_EQ(values.sorted_key, "");
  EXPECT_FALSE(values.details);
  EXPECT_TRUE(values.default_reporter);
  ProfilerOptions none;
  none.no_reporter();
  EXPECT_FALSE(none.values().default_reporter);
}

TEST(ProfilerOptionsTest, TakeWordsInAnyCase) {
  ProfilerOptions options;
  options.state("CPU").tracer_option("AllOpDetail").sorted_key("ave");
  EXPECT_EQ(options.values().state, "CPU");
  EXPECT_EQ(options.values().tracer_option, "AllOpDetail");
  EXPECT_EQ(options.values().sorted_key, "ave");
  options.state("gpu").tracer_option("op-detail");
  EXPECT_EQ(options.values().state, "GPU");
  EXPECT_EQ(options.values().tracer_option, "OpDetail");
}

TEST(ProfilerOptionsTest, AllButTheDefaultTracerOptionRecordDetails) {
  ProfilerOptions options;
  EXPECT_TRUE(options.tracer_option("OpDetail").values().details);
  EXPECT_TRUE(options.tracer_option("AllOpDetail").values().details);
  EXPECT_FALSE(options.tracer_option("Default").values().details);
}

TEST(ProfilerOptionsTest, RefuseWordsThatTheyDoNotKnow) {
  EXPECT_THAT([] { ProfilerOptions().state("TPU"); },
              ThrowsMessage<Error>("[profiler] 'TPU' is no state; there are CPU, GPU, All"));
  EXPECT_THAT([] { ProfilerOptions().tracer_option("Op"); },
              ThrowsMessage<Error>("[profiler] 'Op' is no tracer option; there are Default, "
                                   "OpDetail, AllOpDetail"));
  EXPECT_THAT([] { ProfilerOptions().sorted_key(""); },
              ThrowsMessage<Error>("[profiler] '' is no sorted key; there are default, calls, "
                                   "total, max, min, ave"));
  EXPECT_THAT([] { ProfilerOptions().state(std::string(100000, 'x')); },
              ThrowsMessage<Error>(HasSubstr("x'... (100000 bytes) is no state; there are CPU")));
}

TEST(ProfilerOptionsTest, RefuseARankThatThereIsNot) {
  EXPECT_THAT([] { ProfilerOptions().rank(4, 4); },
              ThrowsMessage<Error>("[profiler] rank 4 of 4 processes; ranks go from 0 to one less "
                                   "than there are"));
  EXPECT_EQ(ProfilerOptions().rank(3, 4).values().world_size, 4U);
}

TEST(ProfilerOptionsTest, RefuseSchedulesAndTimesThatMeanNothing) {
  EXPECT_THAT(
      [] {
        ProfilerOptions().schedule({1, 1, 0, 0});
      },
      ThrowsMessage<Error>(HasSubstr("a schedule that records 0 steps")));
  EXPECT_THAT([] { ProfilerOptions().keep_last(std::chrono::seconds(-1)); },
              ThrowsMessage<Error>(HasSubstr("keep_last takes a time of 0 or more")));
}

}  // namespace
}  // namespace loci
