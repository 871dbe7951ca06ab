#include "plugins/sim/red_zone.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

namespace loci::sim {
namespace {

TEST(RedZoneTest, IsWholeUntilSomethingWrites) {
  std::array<std::byte, 64> zone{};
  paint_red_zone(zone.data(), zone.size());
  EXPECT_EQ(find_damage(zone.data(), zone.size()), std::nullopt);
  zone[63] = std::byte{0};
  EXPECT_EQ(find_damage(zone.data(), zone.size()), 63U);
  zone[5] = std::byte{1};
  EXPECT_EQ(find_damage(zone.data(), zone.size()), 5U);
}

TEST(RedZoneTest, AnEmptyZoneIsWhole) { EXPECT_EQ(find_damage(nullptr, 0), std::nullopt); }

TEST(RedZoneTest, PoisonIsNotANumber) {
  float value = 0;
  std::memset(&value, static_cast<int>(kPoison), sizeof value);
  EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace loci::sim
