#include "framework/reporting/peaks.h"

#include <filesystem>
#include <fstream>
#include <loci/error.hpp>

#include "framework/device/device_manager.h"
#include "tests/framework/reporting/reporting_fixture.h"

namespace loci::reporting {
namespace {

class PeaksTest : public ReportingTest {
 protected:
  static device::Device& cpu() { return device::DeviceManager::instance().get(Place("cpu")); }
};

TEST_F(PeaksTest, AreWhatADeviceReaches) {
  const Peaks peaks = measure_peaks(Place("cpu"));
  // Between a slow interpreter and what no processor has.
  EXPECT_GT(peaks.flops, 1e7);
  EXPECT_LT(peaks.flops, 1e15);
  EXPECT_GT(peaks.bytes, 1e7);
  EXPECT_LT(peaks.bytes, 1e13);
}

TEST_F(PeaksTest, AreKept) {
  const PeakCache cache(path("peaks"));
  EXPECT_FALSE(cache.find(cpu()).has_value());
  cache.keep(cpu(), {1.5e11, 2e10});
  const auto found = cache.find(cpu());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->flops, 1.5e11);
  EXPECT_EQ(found->bytes, 2e10);
}

TEST_F(PeaksTest, ADamagedFileIsNone) {
  const PeakCache cache(path("peaks"));
  cache.keep(cpu(), {1.5e11, 2e10});
  for (const auto& entry : std::filesystem::directory_iterator(path("peaks"))) {
    std::ofstream(entry.path(), std::ios::trunc) << "many more\n";
  }
  EXPECT_FALSE(cache.find(cpu()).has_value());
}

TEST_F(PeaksTest, NeedNoPlaceToBeKept) {
  const PeakCache none("");
  none.keep(cpu(), {1, 1});
  EXPECT_FALSE(none.find(cpu()).has_value());
  std::ofstream(path("file")) << "x";
  const PeakCache blocked(path("file"));
  blocked.keep(cpu(), {1, 1});
  EXPECT_FALSE(blocked.find(cpu()).has_value());
}

TEST_F(PeaksTest, NeedAPlaceToBeMeasured) {
  EXPECT_THROW((void)measure_peaks(Place("nowhere:0")), Error);
}

}  // namespace
}  // namespace loci::reporting
