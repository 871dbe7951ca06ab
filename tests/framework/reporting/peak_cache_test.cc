#include "framework/reporting/peak_cache.h"

#include <filesystem>
#include <fstream>

#include "framework/core/thread_team.h"
#include "framework/device/device_manager.h"
#include "tests/framework/reporting/reporting_fixture.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::reporting {
namespace {

Peaks some_peaks() {
  Peaks peaks;
  peaks.flops = 1.5e11;
  peaks.bytes = 2e10;
  peaks.levels = {{1 << 16, 9e10}, {1 << 26, 2e10}};
  peaks.measured_at = 1'800'000'000;
  peaks.others = 0.25;
  peaks.is_steady = true;
  return peaks;
}

class PeakCacheTest : public ReportingTest {
 protected:
  static device::Device& cpu() { return device::DeviceManager::instance().get(Place("cpu")); }
  [[nodiscard]] PeakCache cache() const { return PeakCache(path("peaks")); }
};

TEST_F(PeakCacheTest, KeepsAll) {
  EXPECT_FALSE(cache().find(cpu()).has_value());
  cache().keep(cpu(), some_peaks());
  const auto found = cache().find(cpu());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->flops, 1.5e11);
  EXPECT_EQ(found->bytes, 2e10);
  EXPECT_EQ(found->levels, some_peaks().levels);
  EXPECT_EQ(found->measured_at, 1'800'000'000);
  EXPECT_EQ(found->others, 0.25);
  EXPECT_TRUE(found->is_steady);
}

// A plugin computes otherwise with other settings, and so do OpenMP's threads.
TEST_F(PeakCacheTest, OtherSettingsHaveOtherPeaks) {
  cache().keep(cpu(), some_peaks());
  {
    const test::EnvironmentGuard plugins("LOCI_CPU_ONEDNN", "off");
    EXPECT_FALSE(cache().find(cpu()).has_value());
  }
  {
    const test::EnvironmentGuard of_openmp("OMP_PLACES", "cores");
    EXPECT_FALSE(cache().find(cpu()).has_value());
  }
  {
    const core::ThreadBudget one(1);
    EXPECT_EQ(cache().find(cpu()).has_value(), core::process_width() == 1);
  }
  EXPECT_TRUE(cache().find(cpu()).has_value());
}

TEST_F(PeakCacheTest, ADamagedFileIsNone) {
  for (const char* text :
       {"many more\n", "1.5e11 2e10\n", "peaks-2\n1e11 2e10\n5 0.1 1\n2\n64 3e10\n",
        "peaks-2\n1e11 2e10\n5 0.1 1\n2\n64 3e10\n64 2e10\n",
        "peaks-2\nnan 2e10\n5 0.1 1\n1\n64 2e10\n", "peaks-2\n1e11 2e10\n5 0.1 1\n1\n64 1e10\n",
        "peaks-2\n1e11 2e10\n5 0.1 1\n999999999999\n"}) {
    cache().keep(cpu(), some_peaks());
    for (const auto& entry : std::filesystem::directory_iterator(path("peaks"))) {
      std::ofstream(entry.path(), std::ios::trunc) << text;
    }
    EXPECT_FALSE(cache().find(cpu()).has_value()) << text;
  }
}

TEST_F(PeakCacheTest, NeedsNoPlaceToKeepThem) {
  const PeakCache none("");
  none.keep(cpu(), some_peaks());
  EXPECT_FALSE(none.find(cpu()).has_value());
  std::ofstream(path("file")) << "x";
  const PeakCache blocked(path("file"));
  blocked.keep(cpu(), some_peaks());
  EXPECT_FALSE(blocked.find(cpu()).has_value());
}

}  // namespace
}  // namespace loci::reporting
