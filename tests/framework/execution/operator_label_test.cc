#include "framework/execution/operator_label.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

class OperatorLabelTest : public executor::ProgramsTest {};

TEST_F(OperatorLabelTest, SaysWhatRunsWhereAndWhatItCosts) {
  const Variable a = data("a", {2, 3}, kFloat32);
  const Variable b = data("b", {3, 4}, kFloat32);
  const Variable y = matmul(a, b);
  const auto plan = compile({feed_of("a", {2, 3}), feed_of("b", {3, 4})}, {y.name()});
  const profiler::Label label = operator_label(*plan, plan->instructions[0]);
  EXPECT_EQ(label.kind, static_cast<std::uint32_t>(LOCI_SPAN_OP));
  EXPECT_EQ(label.name, "matmul");
  EXPECT_EQ(label.instance, "matmul_0");
  EXPECT_EQ(label.place, "cpu");
  EXPECT_EQ(label.kernel, plan->operators[0].kernel);
  EXPECT_THAT(label.detail, ::testing::HasSubstr("x[a:float32[2, 3]]"));
  EXPECT_EQ(label.flops, 2U * 2 * 3 * 4);
  EXPECT_EQ(label.bytes, 4U * (6 + 12 + 8));
}

TEST_F(OperatorLabelTest, LeavesOutOptionalInputsThatAreNotThere) {
  const Variable w = create_parameter({1, 1, 3, 3}, kFloat32, initializer::constant(1), "w");
  scope_.set("w", Tensor::from(std::vector<float>(9, 1), {1, 1, 3, 3}));
  const Variable y = conv2d(data("image", {1, 1, 4, 4}, kFloat32), w);
  const auto plan = compile({feed_of("image", {1, 1, 4, 4})}, {y.name()});
  // Four outputs of nine products and sums.
  EXPECT_EQ(operator_cost(*plan, plan->instructions[0]).flops, 2 * 4 * 9);
  EXPECT_EQ(operator_cost(*plan, plan->instructions[0]).bytes, 4 * (16 + 9 + 4));
}

}  // namespace
}  // namespace loci::execution
