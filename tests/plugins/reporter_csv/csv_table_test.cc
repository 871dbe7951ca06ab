#include "plugins/reporter_csv/csv_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace loci::report {
namespace {

TEST(CsvTableTest, QuotesWhatWouldBreakARow) {
  std::string text;
  CsvTable table([&](std::string_view piece) { text += piece; }, {"a", "b,c"});
  table.cell("plain").cell("say \"so\", twice").end_row();
  table.cell("two\nlines").cell("#1").end_row();
  table.cell(std::uint64_t{7}).cell(0.5).end_row();
  table.comment("one\nline");
  table.finish();
  EXPECT_EQ(text,
            "a,\"b,c\"\n"
            "plain,\"say \"\"so\"\", twice\"\n"
            "\"two\nlines\",\"#1\"\n"
            "7,0.5\n"
            "# one line\n");
}

TEST(CsvTableTest, EmptyCellsKeepTheirPlace) {
  std::string text;
  CsvTable table([&](std::string_view piece) { text += piece; }, {"a", "b", "c"});
  table.cell("").cell(loci_str{nullptr, 0}).cell("x").end_row();
  table.finish();
  EXPECT_EQ(text, "a,b,c\n,,x\n");
}

}  // namespace
}  // namespace loci::report
