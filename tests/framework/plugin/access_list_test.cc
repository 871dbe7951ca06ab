#include "framework/plugin/access_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/framework/plugin/access_list_bytes.h"

namespace loci::plugin {
namespace {

using test::access_list_bytes;
using test::access_list_with;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(AccessList, NamesWhoMayWrite) {
  const auto list = parse_access_list(access_list_bytes({{test::kOwnerTag, 7},
                                                         {test::kUserTag, 6, 1001},
                                                         {test::kUserTag, 4, 1002},
                                                         {test::kOwningGroupTag, 2},
                                                         {test::kGroupTag, 2, 50},
                                                         {test::kMaskTag, 7},
                                                         {test::kOthersTag, 0}}));
  ASSERT_TRUE(list);
  EXPECT_THAT(list->users, ElementsAre(1001));
  EXPECT_THAT(list->groups, ElementsAre(50));
  EXPECT_TRUE(list->owning_group);
}

TEST(AccessList, TheMaskTakesRightsAway) {
  const auto list = parse_access_list(access_list_with(test::kUserTag, 7, 1001, /*mask=*/5));
  ASSERT_TRUE(list);
  EXPECT_THAT(list->users, IsEmpty());
  EXPECT_FALSE(list->owning_group);
}

TEST(AccessList, AsMuchAsTheModeNeedsNoMask) {
  const auto list = parse_access_list(
      access_list_bytes({{test::kOwnerTag, 6}, {test::kOwningGroupTag, 6}, {test::kOthersTag, 4}}));
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->owning_group);
}

TEST(AccessList, RefusesWhatIsNone) {
  const std::string good = access_list_with(test::kUserTag, 7, 1001);
  ASSERT_TRUE(parse_access_list(good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(parse_access_list(std::string_view(good).substr(0, size))) << size;
  }
  EXPECT_FALSE(parse_access_list(access_list_bytes(
      {{test::kOwnerTag, 6}, {test::kOwningGroupTag, 6}, {test::kOthersTag, 4}}, /*version=*/3)));
  EXPECT_FALSE(parse_access_list(access_list_with(0x40, 7, 1001))) << "an unknown tag";
  EXPECT_FALSE(parse_access_list(access_list_with(test::kUserTag, 8, 1001))) << "unknown rights";
  EXPECT_FALSE(parse_access_list(access_list_with(test::kOwnerTag, 7, 0))) << "two owners";
  EXPECT_FALSE(parse_access_list(access_list_bytes({{test::kOwnerTag, 7},
                                                    {test::kUserTag, 6, 1001},
                                                    {test::kOwningGroupTag, 5},
                                                    {test::kOthersTag, 5}})))
      << "no mask";
}

}  // namespace
}  // namespace loci::plugin
