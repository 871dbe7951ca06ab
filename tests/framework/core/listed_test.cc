#include "framework/core/listed.h"

#include <gtest/gtest.h>

namespace loci::core {
namespace {

TEST(ListedTest, NamesAllThatThereIsRoomFor) {
  EXPECT_EQ(listed({}, 3), "");
  EXPECT_EQ(listed({"a"}, 3), "a");
  EXPECT_EQ(listed({"a", "b", "c"}, 3), "a, b, c");
}

TEST(ListedTest, CountsTheOthers) {
  EXPECT_EQ(listed({"a", "b", "c", "d"}, 3), "a, b, c and 1 more");
  EXPECT_EQ(listed(std::vector<std::string>(60, "x"), 3), "x, x, x and 57 more");
}

TEST(ListedTest, TakesTheSeparatorThatItIsGiven) {
  EXPECT_EQ(listed({"a is 1, 2", "b is 3", "c is 4"}, 2, "; "), "a is 1, 2; b is 3 and 1 more");
}

TEST(ListedTest, CountsAllWhereNoneIsNamed) {
  EXPECT_EQ(listed({}, 0), "");
  EXPECT_EQ(listed({"a", "b"}, 0), "2");
}

}  // namespace
}  // namespace loci::core
