#include "framework/device/sync_limit.h"

#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/settings.hpp>

namespace loci::device {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

TEST(SyncLimitTest, IsThatOfTheSetting) {
  EXPECT_EQ(sync_limit(), std::nullopt);
  config::set("SYNC_TIMEOUT", "3");
  EXPECT_EQ(sync_limit(), seconds(3));
  config::set("SYNC_TIMEOUT", "0");
  EXPECT_EQ(sync_limit(), std::nullopt);
  config::set("SEED", "7");
  EXPECT_EQ(sync_limit(), std::nullopt) << "another setting";
  EXPECT_THROW(config::set("SYNC_TIMEOUT", "1.5"), Error);
  EXPECT_THROW(config::set("SYNC_TIMEOUT", "86401"), Error);
}

TEST(SyncLimitTest, WaitsAsLongAsItMay) {
  int asked = 0;
  EXPECT_TRUE(wait_until([&] { return ++asked == 1000; }, seconds(600)));
  EXPECT_EQ(asked, 1000);
  const auto begin = steady_clock::now();
  EXPECT_FALSE(wait_until([] { return false; }, milliseconds(30)));
  EXPECT_GE(steady_clock::now() - begin, milliseconds(30));
}

}  // namespace
}  // namespace loci::device
