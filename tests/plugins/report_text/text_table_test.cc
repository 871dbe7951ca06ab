#include "plugins/report_text/text_table.h"

#include <gtest/gtest.h>

namespace loci::report_text {
namespace {

TEST(TextTableTest, AlignsColumnsAndEndsNoLineWithSpaces) {
  TextTable table({{"Name", Align::kLeft}, {"Calls"}, {"Note", Align::kLeft}});
  table.add({"mul", "12", ""});
  table.add({"fill_constant", "3", "slow"});
  EXPECT_EQ(table.text(),
            "Name           Calls  Note\n"
            "mul               12\n"
            "fill_constant      3  slow\n");
}

TEST(TextTableTest, ColumnsHaveAWidthAtLeast) {
  TextTable table({{"A", Align::kRight, 4}, {"B", Align::kRight, 3}});
  table.add({"1", "2222"});
  EXPECT_EQ(table.text(2), "     A     B\n     1  2222\n");
}

TEST(TextTableTest, WithoutTitlesThereAreRowsOnly) {
  TextTable table({{"", Align::kLeft}, {"", Align::kLeft}});
  EXPECT_TRUE(table.empty());
  table.add({"größe", "1"});
  table.add({"x"});
  EXPECT_EQ(table.text(), "größe  1\nx\n");
}

}  // namespace
}  // namespace loci::report_text
