#include "framework/profiler/id_map.h"

#include <gtest/gtest.h>

namespace loci::profiler {
namespace {

TEST(IdMapTest, KeepsTheFirstValueOfAKey) {
  IdMap map;
  EXPECT_TRUE(map.emplace(7, 1).second);
  const auto [value, is_new] = map.emplace(7, 2);
  EXPECT_FALSE(is_new);
  EXPECT_EQ(value, 1U);
}

TEST(IdMapTest, ValueCanBeReplaced) {
  IdMap map;
  map.emplace(7, 1).first = 5;
  EXPECT_EQ(map.find(7), 5U);
}

TEST(IdMapTest, UnknownKeyHasNoValue) { EXPECT_EQ(IdMap().find(0), LOCI_PROFILE_NONE); }

TEST(IdMapTest, HoldsManyKeysOfEveryKind) {
  IdMap map;
  for (std::uint32_t i = 0; i < 100000; ++i) {
    EXPECT_TRUE(map.emplace(i, i).second);
    EXPECT_TRUE(map.emplace((std::uint64_t{i + 1} << 32), i).second);
    EXPECT_TRUE(map.emplace(UINT64_MAX - i, i).second);
  }
  for (std::uint32_t i = 0; i < 100000; ++i) {
    ASSERT_EQ(map.find(i), i);
    ASSERT_EQ(map.find(std::uint64_t{i + 1} << 32), i);
    ASSERT_EQ(map.find(UINT64_MAX - i), i);
  }
}

}  // namespace
}  // namespace loci::profiler
