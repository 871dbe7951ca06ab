#include "plugins/reporter_html/data_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::report {
namespace {

using test_support::RecordingBuilder;
using test_support::us;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ArgumentsTest, AreTheNamesOfTheSlots) {
  const Arguments found = arguments_of(
      "inputs: {x[a.out:float32[4, 2], b:int64[]], y[]}, outputs: {out[c:float32[4, 2]]}");
  EXPECT_THAT(found.inputs, ElementsAre("a.out", "b"));
  EXPECT_THAT(found.outputs, ElementsAre("c"));
}

TEST(ArgumentsTest, OfAnotherTextAreNone) {
  for (const char* text :
       {"", "float32[4], float32[4]", "inputs: {x[a:float32[4]]}", "inputs: {"}) {
    const Arguments found = arguments_of(text);
    EXPECT_THAT(found.inputs, IsEmpty()) << text;
    EXPECT_THAT(found.outputs, IsEmpty()) << text;
  }
}

TEST(DataFlowTest, CountsWhatOthersAtTheSamePlaceMakeAndNeed) {
  RecordingBuilder builder;
  const auto add = [&](const char* name, const char* place, const char* detail) {
    profiler::Label label{LOCI_SPAN_OP, "op", name, place};
    label.detail = detail;
    builder.span(label, us(1), us(2));
  };
  add("a", "sim:0", "inputs: {x[in:float32[1]]}, outputs: {out[p:float32[1]]}");
  add("b", "sim:0", "inputs: {x[p:float32[1], w:float32[1]]}, outputs: {out[q:float32[1]]}");
  add("c", "sim:0", "inputs: {x[q:float32[1]]}, outputs: {out[r:float32[1]]}");
  add("d", "cpu", "inputs: {x[r:float32[1]]}, outputs: {out[s:float32[1]]}");
  const profiler::Profile profile(builder.build());
  const DataFlow flow(profile.abi());
  EXPECT_EQ(flow.new_copies("a", "sim:0"), 1U);
  EXPECT_EQ(flow.new_copies("b", "sim:0"), 2U);
  EXPECT_EQ(flow.new_copies("c", "sim:0"), 1U);
  EXPECT_EQ(flow.new_copies("d", "cpu"), 0U);
  EXPECT_EQ(flow.new_copies("a", "cpu"), 0U);
}

}  // namespace
}  // namespace loci::report
