#include "framework/planning/constant_evaluator.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using ::testing::ElementsAre;

class ConstantEvaluatorTest : public executor::ProgramsTest {
 protected:
  // Evaluates the last operator of the program.
  std::optional<std::vector<Tensor>> evaluate(const std::vector<std::vector<Tensor>>& inputs,
                                              const Place& preferred = "cpu") {
    const program::Block& block = main_.impl()->main();
    return constant_evaluator(preferred)(block.ops.back(), block, inputs);
  }
};

TEST_F(ConstantEvaluatorTest, RunsOneOperator) {
  const Variable x = data("x", {2}, kFloat32);
  (void)elementwise_add(x, x);
  const auto result = evaluate({{vector({1, 2})}, {vector({10, 20})}});
  ASSERT_TRUE(result.has_value());
  EXPECT_THAT(result->front().to_vector<float>(), ElementsAre(11, 22));
}

TEST_F(ConstantEvaluatorTest, MetadataNeedsNoElements) {
  (void)shape(data("x", {5, 7}, kFloat32));
  const auto result = evaluate({{Tensor()}}, "toy:0");
  ASSERT_TRUE(result.has_value());
  EXPECT_THAT(result->front().to_vector<std::int32_t>(), ElementsAre(5, 7));
}

TEST_F(ConstantEvaluatorTest, FloatsOfAnotherPlaceAreLeftToIt) {
  const Variable x = data("x", {1}, kFloat32);
  {
    const DeviceGuard device("toy:0");
    (void)relu(x);
  }
  EXPECT_FALSE(evaluate({{vector({1})}}).has_value());
}

TEST_F(ConstantEvaluatorTest, AFailureIsNoResult) {
  (void)gather(data("x", {2}, kFloat32), data("i", {1}, kInt64));
  EXPECT_FALSE(evaluate({{vector({1, 2})}, {Tensor::from<std::int64_t>({9}, {1})}}).has_value());
}

}  // namespace
}  // namespace loci::planning
