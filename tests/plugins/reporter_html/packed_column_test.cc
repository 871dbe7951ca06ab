#include "plugins/reporter_html/packed_column.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace loci::report {
namespace {

std::string packed(std::initializer_list<std::uint64_t> numbers) {
  PackedColumn column;
  for (const std::uint64_t number : numbers) column.add(number);
  return column.text();
}

TEST(PackedColumnTest, IsBase64OfLeb128) {
  EXPECT_EQ(packed({}), "");
  EXPECT_EQ(packed({0}), "AA==");
  EXPECT_EQ(packed({1, 127}), "AX8=");
  EXPECT_EQ(packed({1, 2, 3}), "AQID");
  EXPECT_EQ(packed({128}), "gAE=");
  EXPECT_EQ(packed({300, 16'384}), "rAKAgAE=");
  EXPECT_EQ(packed({UINT64_MAX}), "////////////AQ==");
}

TEST(PackedColumnTest, SmallNumbersOfAnySignAreShort) {
  PackedColumn column;
  for (const std::int64_t number : {0, -1, 1, -2, 63, -64}) column.add_signed(number);
  EXPECT_EQ(column.text(), "AAECA35/");
}

TEST(PackedColumnTest, DifferencesGoUpAndDown) {
  PackedColumn column;
  for (const std::uint64_t number : {10U, 12U, 7U}) column.add_difference(number);
  EXPECT_EQ(column.text(), packed({20, 4, 9}));
}

}  // namespace
}  // namespace loci::report
