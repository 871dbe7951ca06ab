#include "framework/core/recent_map.h"

#include <gmock/gmock.h>

#include <vector>

namespace loci::core {
namespace {

using ::testing::ElementsAre;

std::vector<int> in_order(RecentMap<int>& map) {
  std::vector<int> values;
  for (const auto& entry : map) values.push_back(entry.value);
  return values;
}

TEST(RecentMap, WhatIsFoundComesFirst) {
  RecentMap<int> map;
  for (const int i : {1, 2, 3}) map.insert(std::to_string(i), i);
  EXPECT_THAT(in_order(map), ElementsAre(3, 2, 1));
  ASSERT_NE(map.find("1"), nullptr);
  EXPECT_EQ(*map.find("1"), 1);
  EXPECT_EQ(map.find("4"), nullptr);
  EXPECT_THAT(in_order(map), ElementsAre(1, 3, 2));
  EXPECT_EQ(map.use(std::next(map.begin(), 2)), 2);
  EXPECT_THAT(in_order(map), ElementsAre(2, 1, 3));
}

TEST(RecentMap, WhatIsRemovedIsHandedOut) {
  RecentMap<int> map;
  for (const int i : {1, 2, 3}) map.insert(std::to_string(i), i);
  RecentMap<int>::Entries removed;
  const auto older = map.remove(std::next(map.begin()), &removed);
  EXPECT_EQ(older->value, 1);
  EXPECT_EQ(map.size(), 2U);
  EXPECT_EQ(map.find("2"), nullptr);
  ASSERT_EQ(removed.size(), 1U);
  EXPECT_EQ(removed.front().key, "2");
  map.insert("2", 20);
  EXPECT_THAT(in_order(map), ElementsAre(20, 3, 1));
}

// Keys are looked up by their text, which stays where it is.
TEST(RecentMap, HoldsMany) {
  RecentMap<int> map;
  for (int i = 0; i < 1000; ++i) map.insert(std::to_string(i), i);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(*map.find(std::to_string(i)), i);
  EXPECT_EQ(map.begin()->value, 999);
}

}  // namespace
}  // namespace loci::core
