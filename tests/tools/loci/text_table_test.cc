#include "tools/loci/text_table.h"

#include <gtest/gtest.h>

namespace loci::runner {
namespace {

TEST(TextTableTest, AlignsColumnsAndEndsNoLineWithABlank) {
  TextTable table({"operator", "place", "why"});
  table.add({"a", "cpu", "default"});
  table.add({"longer_name", "sim:0", ""});
  EXPECT_EQ(table.to_string(),
            "operator     place  why\n"
            "a            cpu    default\n"
            "longer_name  sim:0\n");
}

TEST(TextTableTest, CountsCharactersNotBytes) {
  TextTable table({"time", "n"});
  table.add({"1.0 µs", "1"});
  table.add({"1.0 ms", "2"});
  EXPECT_EQ(table.to_string(), "time    n\n1.0 µs  1\n1.0 ms  2\n");
}

TEST(TextTableTest, NotesDoNotWidenColumns) {
  TextTable table({"a", "b"});
  table.add({"1", "2"});
  table.add_note("a long note on the row above");
  EXPECT_EQ(table.to_string(), "a  b\n1  2\n    a long note on the row above\n");
}

}  // namespace
}  // namespace loci::runner
