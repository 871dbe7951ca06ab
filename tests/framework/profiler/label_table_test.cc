#include "framework/profiler/label_table.h"

#include <gtest/gtest.h>

#include <string_view>

namespace loci::profiler {
namespace {

TEST(LabelTableTest, GivesEqualLabelsOneNumber) {
  LabelTable table;
  const Label label{.kind = LOCI_SPAN_OP, .name = "relu", .instance = "relu_0", .bytes = 8};
  const LabelId id = table.intern(label);
  EXPECT_EQ(table.intern(label), id);
  EXPECT_EQ(table.at(id), label);
}

TEST(LabelTableTest, TellsLabelsApartByEachMember) {
  LabelTable table;
  const Label base{.kind = LOCI_SPAN_COPY, .name = "copy"};
  const LabelId id = table.intern(base);
  for (std::string Label::*member :
       {&Label::name, &Label::instance, &Label::place, &Label::kernel, &Label::detail,
        &Label::variable, &Label::producer, &Label::consumer, &Label::reason, &Label::source,
        &Label::target}) {
    Label other = base;
    other.*member = std::string(1, 'x');
    EXPECT_NE(table.intern(other), id);
  }
  Label other = base;
  other.flops = 1;
  EXPECT_NE(table.intern(other), id);
  other = base;
  other.bytes = 1;
  EXPECT_NE(table.intern(other), id);
  other = base;
  other.kind = LOCI_SPAN_OP;
  EXPECT_NE(table.intern(other), id);
}

TEST(LabelTableTest, ShowsALabelToReporters) {
  LabelTable table;
  const LabelId id = table.intern({.kind = LOCI_SPAN_OP, .name = "relu", .place = "sim:0"});
  const loci_profile_label& label = table.abi(id);
  EXPECT_EQ(label.kind, static_cast<std::uint32_t>(LOCI_SPAN_OP));
  EXPECT_EQ(std::string_view(label.name.data, label.name.size), "relu");
  EXPECT_EQ(std::string_view(label.place.data, label.place.size), "sim:0");
}

TEST(LabelTableTest, StopsGrowing) {
  constexpr std::size_t kMost = 100;
  LabelTable table(kMost);
  Label label{.kind = LOCI_SPAN_USER, .name = "step"};
  for (std::size_t i = 0; i < kMost; ++i) {
    label.bytes = i;
    table.intern(label);
  }
  EXPECT_EQ(table.size(), kMost);
  label.bytes = kMost;
  EXPECT_EQ(table.at(table.intern(label)).name, "(other)");
}

}  // namespace
}  // namespace loci::profiler
