#include "tools/loci/ops/coverage.h"

#include <gmock/gmock.h>

#include <loci/inspect_ops.hpp>

#include "tools/loci/failure.h"

namespace loci::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr StandardOp kThree[] = {
    {"Both", Form::kDirect, "first,second", ""},
    {"One", Form::kInPart, "first", "it lacks a mode"},
    {"Strings", Form::kAbsent, "", "strings"},
};

Standard three() { return {"three", "Three", kThree}; }

TEST(CoverageTest, AnOperatorIsAbsentWhereOneOfItsOpsIs) {
  const std::vector<Covered> rows = coverage(kThree, {"first"});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].form, Form::kAbsent);
  EXPECT_EQ(rows[0].note, "there is no op second");
  EXPECT_THAT(rows[0].by, IsEmpty());
  EXPECT_EQ(rows[1].form, Form::kInPart);
  EXPECT_EQ(rows[1].note, "it lacks a mode");
  EXPECT_EQ(rows[2].note, "strings");
}

TEST(CoverageTest, TheTextEndsWithCounts) {
  const std::string text = coverage_text(three(), coverage(kThree, {"first", "second"}));
  EXPECT_THAT(text, HasSubstr("\nBoth      direct   first, second\n"));
  EXPECT_THAT(text, HasSubstr("\nOne       in part  first          it lacks a mode\n"));
  EXPECT_THAT(text,
              HasSubstr("\n\nThree: 3 operators, 1 direct, 1 in part, 0 composed, 1 absent\n"));
}

TEST(CoverageTest, TheObjectHasCountsAndOps) {
  const auto json = coverage_json(three(), coverage(kThree, {"first", "second"}));
  EXPECT_EQ(json["standard"], "Three");
  EXPECT_EQ(json["counts"].dump(), R"({"direct":1,"in part":1,"composed":0,"absent":1})");
  EXPECT_EQ(json["ops"][0].dump(),
            R"({"name":"Both","form":"direct","by":["first","second"],"note":null})");
}

TEST(CoverageTest, RefusesAListThatThereIsNot) {
  try {
    (void)standard_of("stablehlo");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kUsage);
    EXPECT_STREQ(failure.what(),
                 "there is no list of ops 'stablehlo' to compare with; it is one of onnx, aten");
  }
}

class StandardTest : public ::testing::TestWithParam<const char*> {};

TEST_P(StandardTest, OperatorsAreSortedAndAbsentOnesSayWhy) {
  const Standard standard = standard_of(GetParam());
  std::string before;
  for (const StandardOp& op : standard.ops) {
    EXPECT_LT(before, op.name);
    before = op.name;
    EXPECT_EQ(op.ops.empty(), op.form == Form::kAbsent) << op.name;
    EXPECT_TRUE(op.form == Form::kDirect || op.form == Form::kComposed || !op.note.empty())
        << op.name << " does not tell what lacks";
  }
}

// A row that names an op wrongly, as after it was renamed, would be told of as absent.
TEST_P(StandardTest, OpsThatAreNotThereAreKnown) {
  std::set<std::string> present;
  for (const inspect::Op& op : inspect::ops()) present.insert(op.name);
  std::set<std::string> missing;
  for (const Covered& row : coverage(standard_of(GetParam()).ops, present)) {
    if (row.note.starts_with("there is no op ")) missing.insert(row.note.substr(15));
  }
  const std::set<std::string> planned{"atan2",
                                      "bit_cast",
                                      "bit_shift",
                                      "bitwise_and",
                                      "bitwise_not",
                                      "bitwise_or",
                                      "bitwise_xor",
                                      "causal_conv",
                                      "col2im",
                                      "conv2d_integer",
                                      "deform_conv2d",
                                      "det",
                                      "dft",
                                      "grid_sample",
                                      "max_roi_pool",
                                      "multinomial",
                                      "non_max_suppression",
                                      "pool3d",
                                      "randperm",
                                      "roi_align",
                                      "stft",
                                      "unique"};
  for (const std::string& op : missing) EXPECT_TRUE(planned.contains(op)) << op;
}

INSTANTIATE_TEST_SUITE_P(Standards, StandardTest, ::testing::Values("onnx", "aten"));

}  // namespace
}  // namespace loci::runner
