#include "framework/profiler/soundness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <loci/error.hpp>

#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::StartsWith;
using ::testing::Throws;

Recording sound_recording() {
  return test_support::RecordingBuilder()
      .op("mul", "mul_0", 10, 20)
      .kernel("gemm", 15, 25)
      .allocate(12, 0x1000, 64, "x")
      .step(0, 30)
      .build();
}

struct Damage {
  std::string message;
  std::function<void(Recording&)> apply;
};

class SoundnessTest : public ::testing::TestWithParam<Damage> {};

TEST_P(SoundnessTest, IsRefusedWithThePlaceAndTheValues) {
  Recording recording = sound_recording();
  ASSERT_NO_THROW(check_sound(recording));
  GetParam().apply(recording);
  EXPECT_THAT([&] { check_sound(recording); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kDataLoss),
                                  Property(&Error::what, StartsWith("[profiler] ")),
                                  Property(&Error::what, HasSubstr(GetParam().message)),
                                  Property(&Error::what, HasSubstr("make it anew")))));
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    Damages, SoundnessTest,
    ::testing::Values(
        Damage{"session: level 3 of 3", [](Recording& r) { r.level = 3; }},
        Damage{"session: rank 1 of 1", [](Recording& r) { r.rank = 1; }},
        Damage{"session: main thread 1 of 1", [](Recording& r) { r.main_thread = 1; }},
        Damage{"label 0: kind 9 of 9", [](Recording& r) { r.labels[0].kind = 9; }},
        Damage{"thread 0 'main': span 0: label 1 of 1",
               [](Recording& r) { r.threads[0].spans[0].label = 1; }},
        Damage{"thread 0 'main': span 0 'mul': ends at 9 ns, before it begins at 10 ns",
               [](Recording& r) { r.threads[0].spans[0].end_ns = 9; }},
        Damage{"device work 0: text 9 of 3", [](Recording& r) { r.device_spans[0].name = 9; }},
        Damage{"device work 0: device 1 of 1", [](Recording& r) { r.device_spans[0].device = 1; }},
        Damage{"device work 0: kind 3 of 3", [](Recording& r) { r.device_spans[0].kind = 3; }},
        Damage{"device work 0: direction 5 of 5",
               [](Recording& r) { r.device_spans[0].direction = 5; }},
        Damage{"device work 0: graph 2, but replay 0",
               [](Recording& r) { r.device_spans[0].graph = 2; }},
        Damage{"device work 0 'gemm': ends at 14 ns, before it begins at 15 ns",
               [](Recording& r) { r.device_spans[0].end_ns = 14; }},
        Damage{"device work 0: occupancy nan",
               [](Recording& r) { r.device_spans[0].geometry.occupancy = kNan; }},
        Damage{"device work 0: occupancy 1.5",
               [](Recording& r) { r.device_spans[0].geometry.occupancy = 1.5; }},
        Damage{"device 'sim:0': rate inf",
               [](Recording& r) { r.devices[0].described_flops = kInfinity; }},
        Damage{"device 'sim:0': rate -1", [](Recording& r) { r.devices[0].measured_bytes = -1; }},
        Damage{"device 'sim:0': rate -2",
               [](Recording& r) {
                 r.devices[0].levels = {{1, -2}};
               }},
        Damage{"device 'sim:0': memory level 1 is of 8 bytes, no more than the one before it",
               [](Recording& r) {
                 r.devices[0].levels = {{8, 1}, {8, 1}};
               }},
        Damage{"memory event 0: text 3 of 3", [](Recording& r) { r.memory_events[0].name = 3; }},
        Damage{"memory event 0: text 4 of 3", [](Recording& r) { r.memory_events[0].place = 4; }},
        Damage{"memory event 0: thread 1 of 1",
               [](Recording& r) { r.memory_events[0].thread = 1; }},
        Damage{"step 0: ends at 30 ns, before it begins at 31 ns",
               [](Recording& r) { r.steps[0].begin_ns = 31; }}));

TEST(SoundnessTest, EmptyRecordingIsSound) { EXPECT_NO_THROW(check_sound({})); }

TEST(SoundnessTest, MemoryEventWithoutAThreadIsSound) {
  Recording recording = sound_recording();
  recording.memory_events[0].thread = LOCI_PROFILE_NONE;
  EXPECT_NO_THROW(check_sound(recording));
}

}  // namespace
}  // namespace loci::profiler
