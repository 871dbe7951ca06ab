#include "framework/planning/operator_lowering.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::PlaceReason;
using execution::Plan;
using ::testing::ElementsAre;

class OperatorLoweringTest : public executor::ProgramsTest {
 protected:
  // "variable reason" of each transfer of a plan.
  static std::vector<std::string> transfers(const Plan& plan) {
    std::vector<std::string> list;
    for (const Instruction& instruction : plan.instructions) {
      if (instruction.transfer() == nullptr) continue;
      const transfer::Labels& labels = instruction.transfer()->labels;
      list.push_back(std::string(labels.variable) + " " +
                     std::string(transfer::reason_name(labels.reason)));
    }
    return list;
  }
};

TEST_F(OperatorLoweringTest, AFeedMovesOnceForTwoConsumers) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable y = elementwise_add(relu(x), scale(x, 2.0));
  const auto plan = compile({feed_of("x", {2})}, {y.name()}, "toy:0");
  EXPECT_THAT(transfers(*plan), ElementsAre("x feed"));
}

TEST_F(OperatorLoweringTest, AGuardedOperatorGetsItsInputsWhereItRuns) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable on_toy = relu(x);
  Variable on_cpu;
  {
    const DeviceGuard guard("cpu");
    on_cpu = scale(on_toy, 2.0);
  }
  const Variable y = relu(on_cpu);
  const auto plan = compile({feed_of("x", {2})}, {y.name()}, "toy:0");
  EXPECT_THAT(transfers(*plan), ElementsAre("x feed", on_toy.name() + " prepare_data",
                                            on_cpu.name() + " prepare_data"));
  EXPECT_EQ(plan->operators[1].reason, PlaceReason::kUserGuard);
}

TEST_F(OperatorLoweringTest, AnOperatorWithoutElementsGetsNoKernelAndNoCopies) {
  const Variable y = relu(data("x", {-1, 3}, kFloat32));
  const auto plan = compile({feed_of("x", {0, 3})}, {y.name()}, "toy:0");
  EXPECT_TRUE(plan->instructions.empty());
  ASSERT_EQ(plan->operators.size(), 1U);
  EXPECT_EQ(plan->operators[0].kernel, "none (no elements)");
  const auto fetched =
      Executor("toy:0", {}, scope_).run(main_, {{"x", Tensor::empty({0, 3}, kFloat32)}}, {y});
  EXPECT_EQ(fetched[0].shape(), Shape({0, 3}));
}

TEST_F(OperatorLoweringTest, StateThatFallbackUpdatesGoesBackHome) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(1.0), "w");
  const Variable gradient = scale(w, 1.0);
  const Variable rate = fill_constant({1}, 0.5);
  sgd(w, gradient, rate);
  const Variable after = scale(w, 1.0);
  Executor executor("toy:1", {}, scope_);
  executor.run(startup_);
  const auto plan = compile({}, {after.name()}, "toy:1");
  EXPECT_THAT(transfers(*plan), ElementsAre("w fallback", gradient.name() + " fallback",
                                            rate.name() + " fallback", "w write_back"));
  const auto fetched = executor.run(main_, {}, {after});
  EXPECT_THAT(fetched[0].to_vector<float>(), ElementsAre(0.5F, 0.5F));
  EXPECT_THAT(scope_.find("w").to_vector<float>(), ElementsAre(0.5F, 0.5F));
  EXPECT_EQ(scope_.find("w").place(), Place("toy:1"));
}

TEST_F(OperatorLoweringTest, AMetadataOnlyInputIsNeverCopied) {
  const Variable x = data("x", {2, 3}, kFloat32);
  const Variable on_toy = relu(x);
  Variable like;
  {
    const DeviceGuard guard("cpu");
    like = OpCall<Variable>("reshape_like")
               .input("x", data("flat", {6}, kFloat32))
               .input("like", on_toy)
               .result();
  }
  const auto plan = compile({feed_of("x", {2, 3}), feed_of("flat", {6})}, {like.name()}, "toy:0");
  EXPECT_THAT(transfers(*plan), ElementsAre("x feed"));
}

}  // namespace
}  // namespace loci::planning
