// Two runs to compare: a slice whose offsets come from the device, and the crop that took its
// place.
#pragma once

#include <string>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::profiler_test {

inline constexpr std::uint64_t kSteps = 10;

// Each step takes 1000 us, a fifth of a microsecond more than the one before: 100 us of plan, two
// copies to the host of 200 us each for which it waits, 300 us of slice, and the rest outside.
inline test_support::RecordingBuilder slice_run() {
  using test_support::us;
  test_support::RecordingBuilder builder;
  std::uint64_t at = 0;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    const std::uint64_t length = us(1000) + step * 200;
    builder.step(at, at + length)
        .run("run", at, at + us(900))
        .framework("plan", at, at + us(100))
        .op("slice", "slice_0", at + us(100), at + us(800))
        .phase("prepare_data", at + us(100), at + us(500))
        .waited_copy({"starts", "sim:0", "cpu", 8}, at + us(100), at + us(300))
        .waited_copy({"ends", "sim:0", "cpu", 8}, at + us(300), at + us(500))
        .phase("compute", at + us(500), at + us(800));
    at += length;
  }
  return builder;
}

// Each step takes 700 us: 100 us of plan and 400 us of crop.
inline test_support::RecordingBuilder crop_run() {
  using test_support::us;
  test_support::RecordingBuilder builder;
  std::uint64_t at = 0;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    const std::uint64_t length = us(700) + step * 200;
    builder.step(at, at + length)
        .run("run", at, at + us(600))
        .framework("plan", at, at + us(100))
        .op("crop", "crop_0", at + us(100), at + us(600))
        .phase("compute", at + us(200), at + us(600));
    at += length;
  }
  return builder;
}

}  // namespace loci::profiler_test
