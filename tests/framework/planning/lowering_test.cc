#include "framework/planning/lowering.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::Instruction;
using ::testing::ElementsAre;

class LoweringTest : public executor::ProgramsTest {};

TEST_F(LoweringTest, OnTheHostNothingMoves) {
  const Variable y = softmax(scale(data("x", {2}, kFloat32), 2.0));
  const auto plan = compile({feed_of("x", {2})}, {y.name()});
  ASSERT_EQ(plan->instructions.size(), 2U);
  for (const Instruction& instruction : plan->instructions)
    EXPECT_NE(instruction.launch(), nullptr);
}

TEST_F(LoweringTest, ResultsOfAForeignDeviceEqualTheHosts) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = elementwise_add(relu(x), scale(x, -2.0, 1.0));
  const Feed feed{{"x", vector({-1.5F, 0, 2})}};
  const auto host = Executor("cpu", {}, scope_).run(main_, feed, {y, x});
  const auto toy = Executor("toy:0", {}, scope_).run(main_, feed, {y, x});
  EXPECT_EQ(host[0].to_vector<float>(), toy[0].to_vector<float>());
  EXPECT_EQ(host[1].to_vector<float>(), toy[1].to_vector<float>());
}

TEST_F(LoweringTest, AnOperatorOfEmptyInputsRunsForWhatItWrites) {
  const Variable sum = reduce_sum(data("x", {-1, 3}, kFloat32));
  const auto fetched =
      Executor("cpu", {}, scope_).run(main_, {{"x", Tensor::empty({0, 3}, kFloat32)}}, {sum});
  EXPECT_THAT(fetched[0].to_vector<float>(), ElementsAre(0.0F));
}

// With the other extents an empty tensor's strides would not fit.
TEST_F(LoweringTest, ExtentsOfAnEmptyTensorMayBeHuge) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  const Variable x = fill_constant({kHuge, 0, kHuge}, 1.0);
  const auto fetched = Executor("cpu", CompileOptions::none(), scope_).run(main_, {}, {relu(x)});
  EXPECT_EQ(fetched[0].shape(), Shape({kHuge, 0, kHuge}));
}

}  // namespace
}  // namespace loci::planning
