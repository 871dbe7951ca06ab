#include "framework/ops/call_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/ops.hpp>

namespace loci::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(CallListTest, NumbersWhatIsGivenAndWhatCallsMake) {
  CallList list({{kFloat32, {4, 6}}, {}});
  EXPECT_FALSE(list.value(1).defined());
  const Value x = list.value(0);
  const Value squared = square(x);
  const std::vector<Value> parts = OpCall<Value>("split")
                                       .input("x", squared)
                                       .attr("axis", std::int64_t{0})
                                       .attr("num", std::int64_t{2})
                                       .results();
  EXPECT_EQ(squared.id, 2);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[1].id, 4);
  EXPECT_EQ(list.type(parts[1]), (TensorType{kFloat32, {2, 6}}));
  ASSERT_EQ(list.calls().size(), 2U);
  const ListedCall& split = list.calls()[1];
  EXPECT_EQ(split.schema->name(), "split");
  EXPECT_EQ(split.attributes.size(), 2U) << "those that were given";
  ASSERT_EQ(split.inputs.size(), 1U);
  EXPECT_THAT(split.inputs[0].values, ElementsAre(2));
  EXPECT_EQ(split.first_output, 3);
  EXPECT_THAT(split.output_counts, ElementsAre(2));
  EXPECT_EQ(split.output_count(), 2);
}

TEST(CallListTest, RefusesWhatTheOpDoesNotTake) {
  CallList list({{kFloat32, {2}}});
  const Value x = list.value(0);
  EXPECT_THAT([&] { (void)OpCall<Value>("relu").input("y", x).result(); },
              ThrowsMessage<Error>(HasSubstr("[relu] is called with the input 'y'")));
  EXPECT_THAT([&] { (void)OpCall<Value>("nosuch").input("x", x).result(); },
              ThrowsMessage<Error>(HasSubstr("[nosuch] there is no such op")));
  EXPECT_TRUE(list.calls().empty());
}

}  // namespace
}  // namespace loci::ops
