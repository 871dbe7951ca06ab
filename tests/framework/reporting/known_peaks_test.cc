#include "framework/reporting/known_peaks.h"

#include <loci/error.hpp>
#include <optional>

#include "framework/device/device_manager.h"
#include "tests/framework/reporting/reporting_fixture.h"

namespace loci::reporting {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kNow = 1'800'000'000;
constexpr std::int64_t kDay = 24 * 3600;

Peaks peaks_of(double flops, double others, bool is_steady = true) {
  Peaks peaks;
  peaks.flops = flops;
  peaks.bytes = 10;
  peaks.levels = {{64, 20}, {1024, 10}};
  peaks.measured_at = kNow;
  peaks.others = others;
  peaks.is_steady = is_steady;
  return peaks;
}

class KnownPeaksTest : public ReportingTest {
 protected:
  static device::Device& cpu() { return device::DeviceManager::instance().get(Place("cpu")); }
  // Asks with a measurement that gives what `next_` says, and is counted.
  std::optional<Peaks> ask(std::int64_t now, bool may_measure = true) {
    const KnownPeaks known(PeakCache(path("peaks")), [&](const Place&) {
      ++measured_;
      Peaks peaks = next_;
      peaks.measured_at = now;
      return peaks;
    });
    std::string why;
    return known.of(cpu(), may_measure, now, why);
  }

  Peaks next_ = peaks_of(100, 0);
  int measured_ = 0;
};

TEST_F(KnownPeaksTest, AreMeasuredOnceAMonth) {
  EXPECT_FALSE(ask(kNow, /*may_measure=*/false).has_value());
  ASSERT_TRUE(ask(kNow).has_value());
  EXPECT_EQ(ask(kNow + 29 * kDay)->flops, 100);
  EXPECT_EQ(measured_, 1);
  next_ = peaks_of(80, 0);  // a machine may be slower than it was
  EXPECT_EQ(ask(kNow + 31 * kDay, /*may_measure=*/false)->flops, 100);
  EXPECT_EQ(ask(kNow + 31 * kDay)->flops, 80);
  EXPECT_EQ(measured_, 2);
}

TEST_F(KnownPeaksTest, OfABusyMachineAreMeasuredAnewAndTheBestCounts) {
  next_ = peaks_of(50, 0.5);
  EXPECT_EQ(ask(kNow)->flops, 50);
  EXPECT_EQ(ask(kNow + 300)->flops, 50);
  EXPECT_EQ(measured_, 1);
  next_ = peaks_of(40, 0.6);
  next_.levels[0].bytes = 30;
  const auto best = ask(kNow + 700);
  EXPECT_EQ(measured_, 2);
  EXPECT_EQ(best->flops, 50);
  EXPECT_EQ(best->levels[0].bytes, 30);
  next_ = peaks_of(90, 0);
  EXPECT_EQ(ask(kNow + 1400)->flops, 90);
  EXPECT_EQ(ask(kNow + kDay)->flops, 90);
  EXPECT_EQ(measured_, 3);
}

TEST_F(KnownPeaksTest, AClockThatWasWrongKeepsThemNoLonger) {
  (void)ask(kNow + 1000 * kDay);
  (void)ask(kNow);
  EXPECT_EQ(measured_, 2);
}

TEST_F(KnownPeaksTest, ThatCannotBeMeasuredAreNotKnown) {
  const KnownPeaks known(PeakCache(path("peaks")), [](const Place&) -> Peaks {
    throw Error(ErrorCode::kUnsupported, "[matmul] no kernel; allow the fallback");
  });
  std::string why;
  EXPECT_FALSE(known.of(cpu(), /*may_measure=*/false, kNow, why).has_value());
  EXPECT_THAT(why, IsEmpty());
  EXPECT_FALSE(known.of(cpu(), /*may_measure=*/true, kNow, why).has_value());
  EXPECT_EQ(why, "[matmul] no kernel");
}

TEST_F(KnownPeaksTest, SayWhatIsDoubtful) {
  EXPECT_THAT(caveat(peaks_of(1, 0.02)), IsEmpty());
  EXPECT_THAT(caveat(peaks_of(1, 0.45)),
              HasSubstr("measured while other processes took 45 % of the processors"));
  EXPECT_THAT(caveat(peaks_of(1, 0, /*is_steady=*/false)),
              HasSubstr("measured with results that differed from round to round"));
  EXPECT_THAT(caveat(peaks_of(1, 0.45)), HasSubstr("measures them anew"));
}

}  // namespace
}  // namespace loci::reporting
