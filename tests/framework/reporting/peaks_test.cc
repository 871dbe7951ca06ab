#include "framework/reporting/peaks.h"

#include <cstddef>
#include <loci/error.hpp>
#include <loci/place.hpp>

#include "tests/framework/reporting/reporting_fixture.h"

namespace loci::reporting {
namespace {

class PeaksTest : public ReportingTest {};

TEST_F(PeaksTest, AreWhatADeviceReaches) {
  const Peaks peaks = measure_peaks(Place("cpu"));
  // Between a slow interpreter and what no processor has.
  EXPECT_GT(peaks.flops, 1e7);
  EXPECT_LT(peaks.flops, 1e15);
  EXPECT_GT(peaks.bytes, 1e7);
  EXPECT_LT(peaks.bytes, 1e13);
}

// Data that fits in a cache moves faster, and other data as fast as memory.
TEST_F(PeaksTest, HaveALevelForEachSize) {
  const Peaks peaks = measure_peaks(Place("cpu"));
  ASSERT_GE(peaks.levels.size(), 5U);
  for (std::size_t i = 1; i < peaks.levels.size(); ++i) {
    EXPECT_GT(peaks.levels[i].call_bytes, peaks.levels[i - 1].call_bytes);
    EXPECT_LE(peaks.levels[i].bytes, peaks.levels[i - 1].bytes);
  }
  EXPECT_EQ(peaks.levels.back().bytes, peaks.bytes);
  EXPECT_GE(peaks.others, 0);
  EXPECT_LE(peaks.others, 1);
  EXPECT_GT(peaks.measured_at, 1'700'000'000);
}

// It has no product: what the CPU does instead is no peak of it.
TEST_F(PeaksTest, AreOfKernelsOfTheDevice) {
  EXPECT_THROW((void)measure_peaks(Place("toy:0")), Error);
}

TEST_F(PeaksTest, NeedAPlaceToBeMeasured) {
  EXPECT_THROW((void)measure_peaks(Place("nowhere:0")), Error);
}

}  // namespace
}  // namespace loci::reporting
