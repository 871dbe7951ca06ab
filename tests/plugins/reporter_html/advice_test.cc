#include "plugins/reporter_html/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::report {
namespace {

using test_support::RecordingBuilder;
using test_support::us;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kHostToDevice = LOCI_COPY_HOST_TO_DEVICE;

std::vector<std::string> titles(const std::vector<Advice>& all) {
  std::vector<std::string> result;
  for (const Advice& advice : all) result.push_back(advice.title);
  return result;
}

double number(const Advice& advice, const std::string& name) {
  for (const Fact& fact : advice.facts) {
    if (fact.name == name) return fact.number;
  }
  ADD_FAILURE() << "there is no fact " << name;
  return 0;
}

// `count` steps of 100 us, in each of which `fill` adds what it likes from its begin on.
template <class Fill>
profiler::Profile steps(int count, Fill fill) {
  RecordingBuilder builder;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t at = us(100.0 * i);
    fill(builder, at);
    builder.step(at, at + us(100));
  }
  return profiler::Profile(builder.build());
}

TEST(RepeatedCopyAdviceTest, VariableThatIsCopiedInEachStep) {
  const profiler::Profile profile = steps(4, [](RecordingBuilder& builder, std::uint64_t at) {
    builder.waited_copy({"w", "cpu", "sim:0", 4096, "prepare_data", "", "mul_0"}, at, at + us(3));
    builder.device_copy(kHostToDevice, 4096, at, at + us(2));
  });
  const std::vector<Advice> all = repeated_copy_advice(profile.abi());
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].rule, "repeated_copy");
  EXPECT_EQ(all[0].title, "'w' is copied from cpu to sim:0 in every step");
  EXPECT_THAT(all[0].text, HasSubstr("bring it to sim:0 once, by to(\"sim:0\")"));
  EXPECT_EQ(all[0].cost_ns, us(12));
  EXPECT_EQ(number(all[0], "Copies"), 4);
  EXPECT_EQ(number(all[0], "Steps"), 4);
  EXPECT_EQ(number(all[0], "Host waited"), 4);
  EXPECT_EQ(number(all[0], "Bytes"), 4 * 4096);
  EXPECT_EQ(number(all[0], "Device time"), static_cast<double>(us(8)));
}

TEST(RepeatedCopyAdviceTest, StepsThatDoWithoutAreForgiven) {
  const auto profile_of = [](std::uint64_t first) {
    return steps(20, [first](RecordingBuilder& builder, std::uint64_t at) {
      builder.op("mul", "mul_0", at, at + us(5));
      if (at >= us(100.0 * static_cast<double>(first))) builder.copy({"w"}, at + us(6), at + us(7));
    });
  };
  EXPECT_THAT(titles(repeated_copy_advice(profile_of(2).abi())),
              ElementsAre("'w' is copied from cpu to sim:0 in almost every step"));
  EXPECT_THAT(repeated_copy_advice(profile_of(3).abi()), IsEmpty());
}

TEST(RepeatedCopyAdviceTest, WhatAnOperatorMakesIsAnotherMatter) {
  const profiler::Profile profile = steps(2, [](RecordingBuilder& builder, std::uint64_t at) {
    builder.copy({"w", "cpu", "sim:0", 4, "prepare_data", "fill_0", "mul_0"}, at, at + us(3));
  });
  const std::vector<Advice> all = repeated_copy_advice(profile.abi());
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].text, "fill_0 makes it on cpu: run mul_0 there too, or both on sim:0.");
}

TEST(RepeatedCopyAdviceTest, FeedsFetchesAndRareCopiesAreFine) {
  const profiler::Profile profile = steps(3, [](RecordingBuilder& builder, std::uint64_t at) {
    builder.copy({"x", "cpu", "sim:0", 4, "feed"}, at, at + us(3));
    builder.copy({"y", "sim:0", "cpu", 4, "fetch"}, at + us(4), at + us(5));
    builder.copy({"l", "cpu", "cpu", 4, "local"}, at + us(6), at + us(7));
    if (at == 0) builder.copy({"w", "cpu", "sim:0", 4, "load"}, at + us(8), at + us(9));
  });
  EXPECT_THAT(titles(all_advice(profile.abi())), IsEmpty());
}

TEST(RoundTripAdviceTest, VariableThatGoesThereAndBack) {
  const profiler::Profile profile = steps(1, [](RecordingBuilder& builder, std::uint64_t at) {
    builder.waited_copy({"x", "sim:0", "cpu", 100, "prepare_data"}, at, at + us(5));
    builder.waited_copy({"x", "cpu", "sim:0", 100, "prepare_data"}, at + us(6), at + us(10));
  });
  const std::vector<Advice> all = round_trip_advice(profile.abi());
  ASSERT_THAT(titles(all), ElementsAre("'x' goes from cpu to sim:0 and back"));
  EXPECT_EQ(number(all[0], "Copies away"), 1);
  EXPECT_EQ(number(all[0], "Copies back"), 1);
  EXPECT_EQ(number(all[0], "Bytes"), 200);
  EXPECT_EQ(all[0].cost_ns, us(9));
}

TEST(RoundTripAdviceTest, OperatorOnTheHostBetweenOthersOfADevice) {
  const profiler::Profile profile = steps(3, [](RecordingBuilder& builder, std::uint64_t at) {
    builder.waited_copy({"x", "sim:0", "cpu", 100, "prepare_data", "mul_0", "argmax_0"}, at,
                        at + us(5));
    builder.waited_copy({"y", "cpu", "sim:0", 4, "prepare_data", "argmax_0", "add_0"}, at + us(6),
                        at + us(7));
  });
  // And no advice on each of the two copies.
  const std::vector<Advice> all = all_advice(profile.abi());
  ASSERT_THAT(titles(all), ElementsAre("'argmax_0' runs on cpu between operators of sim:0"));
  EXPECT_EQ(all[0].cost_ns, us(18));
  EXPECT_EQ(number(all[0], "Bytes"), 3 * 104);
}

// A load is made once, and packing as well: neither is of a step.
TEST(RoundTripAdviceTest, LoadsAreNoCopiesOfAStep) {
  const profiler::Profile profile = steps(3, [](RecordingBuilder& builder, std::uint64_t at) {
    if (at == 0) builder.copy({"b", "cpu", "sim:0", 64, "load", "", "add_1"}, at, at + us(1));
    if (at == 0)
      builder.copy({"c", "cpu", "sim:0", 64, "prepare_data", "", "add_1"}, at, at + us(1));
    builder.waited_copy({"y", "sim:0", "cpu", 100, "prepare_data", "add_1", "tanh_0"}, at + us(2),
                        at + us(5));
  });
  EXPECT_THAT(round_trip_advice(profile.abi()), IsEmpty());
  const profiler::Profile loads = steps(3, [](RecordingBuilder& builder, std::uint64_t at) {
    builder.copy({"b", "cpu", "sim:0", 64, "load", "", "add_1"}, at, at + us(1));
    builder.copy({"w", "cpu", "sim:0", 64, "pack", "", "add_1"}, at, at + us(1));
  });
  EXPECT_THAT(titles(all_advice(loads.abi())), IsEmpty());
}

// One of three inputs comes from elsewhere: there, two would have to be copied instead of two.
TEST(RoundTripAdviceTest, OperatorThatNeedsMoreWhereItRuns) {
  const auto profile_of = [](const std::string& inputs) {
    return steps(2, [&](RecordingBuilder& builder, std::uint64_t at) {
      profiler::Label made{LOCI_SPAN_OP, "split", "split_0", "sim:0"};
      made.detail = "inputs: {x[x:float32[4]]}, outputs: {out[p:float32[2], q:float32[2]]}";
      builder.span(made, at, at + us(1));
      profiler::Label label{LOCI_SPAN_OP, "concat", "concat_0", "sim:0"};
      label.detail = "inputs: {x[" + inputs + "]}, outputs: {out[y:float32[6]]}";
      builder.waited_copy({"c", "cpu", "sim:0", 8, "prepare_data", "k", "concat_0"}, at + us(2),
                          at + us(3));
      builder.span(label, at + us(4), at + us(5));
      builder.waited_copy({"y", "sim:0", "cpu", 24, "prepare_data", "concat_0", "tanh_0"},
                          at + us(6), at + us(7));
    });
  };
  EXPECT_THAT(round_trip_advice(profile_of("p:float32[2], q:float32[2], c:float32[2]").abi()),
              IsEmpty());
  const profiler::Profile one = profile_of("p:float32[2], c:float32[2]");
  const std::vector<Advice> all = round_trip_advice(one.abi());
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].text, HasSubstr("--guard concat_0=cpu"));
  EXPECT_EQ(number(all[0], "Saves copies a step"), 1);
}

TEST(TinyKernelAdviceTest, KernelsThatTakeLessThanTheirLaunch) {
  const auto profile_of = [](int kernels, double device_us) {
    return steps(kernels, [&](RecordingBuilder& builder, std::uint64_t at) {
      builder.op("add", "add_0", at, at + us(8));
      builder.kernel("add_kernel", at + us(1), at + us(1 + device_us));
    });
  };
  const profiler::Profile tiny = profile_of(20, 2);
  const std::vector<Advice> all = tiny_kernel_advice(tiny.abi());
  ASSERT_THAT(titles(all),
              ElementsAre("Launching the kernels of 'add' takes longer than they run"));
  EXPECT_EQ(number(all[0], "Kernels"), 20);
  EXPECT_EQ(number(all[0], "Mean device time"), static_cast<double>(us(2)));
  EXPECT_EQ(number(all[0], "Mean host time to launch"), static_cast<double>(us(8)));
  EXPECT_EQ(all[0].cost_ns, us(20 * 6));
  EXPECT_THAT(tiny_kernel_advice(profile_of(19, 2).abi()), IsEmpty());   // too few
  EXPECT_THAT(tiny_kernel_advice(profile_of(20, 9).abi()), IsEmpty());   // longer than the launch
  EXPECT_THAT(tiny_kernel_advice(profile_of(20, 60).abi()), IsEmpty());  // not tiny
}

TEST(LowOccupancyAdviceTest, KernelsThatLeaveThreadsUnused) {
  const auto profile_of = [](double occupancy, double device_us) {
    RecordingBuilder builder;
    builder.op("add", "add_0", us(0), us(8));
    loci_launch_geometry geometry{{2, 1, 1}, {512, 1, 1}, 96, 0, 1024, 2048, occupancy};
    builder.kernel("low", us(1), us(1 + device_us)).geometry(geometry);
    builder.kernel("other", us(200), us(300));
    return profiler::Profile(builder.build());
  };
  const profiler::Profile low = profile_of(0.125, 40);
  const std::vector<Advice> all = low_occupancy_advice(low.abi());
  ASSERT_THAT(titles(all), ElementsAre("'low' occupies 12 % of sim:0"));
  EXPECT_EQ(number(all[0], "Occupancy"), 0.125);
  EXPECT_EQ(number(all[0], "Registers per thread"), 96);
  EXPECT_EQ(number(all[0], "Shared memory per block"), 3072);
  EXPECT_EQ(all[0].cost_ns, us(35));
  EXPECT_THAT(low_occupancy_advice(profile_of(0.3, 40).abi()), IsEmpty());
  EXPECT_THAT(low_occupancy_advice(profile_of(0, 40).abi()), IsEmpty());       // not known
  EXPECT_THAT(low_occupancy_advice(profile_of(0.125, 0.5).abi()), IsEmpty());  // too short
}

TEST(IdleDeviceAdviceTest, DeviceThatWaitsForTheHost) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", us(0), us(2)).kernel("k", us(1), us(11));
  builder.user("think", us(3), us(90));
  builder.op("mul", "mul_0", us(91), us(95)).kernel("k", us(92), us(101));
  const profiler::Profile profile(builder.build());
  const std::vector<Advice> all = idle_device_advice(profile.abi());
  ASSERT_THAT(titles(all), ElementsAre("sim:0 waits for the host 81 % of its time"));
  EXPECT_EQ(all[0].rule, "host_bound");
  EXPECT_EQ(all[0].cost_ns, us(81));
  EXPECT_EQ(number(all[0], "Gaps"), 1);
  EXPECT_EQ(number(all[0], "Busy"), static_cast<double>(us(19)));
  EXPECT_EQ(number(all[0], "Share"), 0.81);
}

TEST(IdleDeviceAdviceTest, DeviceThatWaitsForACopy) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", us(0), us(2)).kernel("k", us(1), us(11));
  builder.waited_copy({"y", "sim:0", "cpu", 4, "fetch"}, us(3), us(90));
  builder.op("mul", "mul_0", us(91), us(95)).kernel("k", us(92), us(101));
  const profiler::Profile profile(builder.build());
  const std::vector<Advice> all = idle_device_advice(profile.abi());
  ASSERT_THAT(titles(all), ElementsAre("sim:0 waits for copies 81 % of its time"));
  EXPECT_EQ(number(all[0], "During copy y"), static_cast<double>(us(81)));
}

TEST(IdleDeviceAdviceTest, BusyDevicesAreFine) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", us(0), us(2)).kernel("k", us(1), us(50));
  builder.op("mul", "mul_0", us(3), us(5)).kernel("k", us(51), us(100));
  EXPECT_THAT(idle_device_advice(profiler::Profile(builder.build()).abi()), IsEmpty());
}

TEST(AdviceTest, CostliestComesFirst) {
  const profiler::Profile profile = steps(2, [](RecordingBuilder& builder, std::uint64_t at) {
    builder.copy({"a", "cpu", "sim:0", 9, "host_read"}, at, at + us(3));
    builder.copy({"b", "cpu", "sim:0", 4, "host_read"}, at + us(4), at + us(9));
  });
  EXPECT_THAT(titles(all_advice(profile.abi())),
              ElementsAre("'b' is copied from cpu to sim:0 in every step",
                          "'a' is copied from cpu to sim:0 in every step"));
}

}  // namespace
}  // namespace loci::report
