#include "framework/passes/known_values.h"

#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

using Integers = std::vector<std::int64_t>;

class KnownValuesTest : public PassTest {
 protected:
  // Counts how often an operator is evaluated.
  KnownValues values() {
    return {block(), [this](const program::Operator& op, const program::Block& whole,
                            const std::vector<std::vector<Tensor>>& inputs) {
              ++evaluated_;
              return planning::constant_evaluator(Place("cpu"))(op, whole, inputs);
            }};
  }
  int evaluated_ = 0;
};

TEST_F(KnownValuesTest, ASourceIsComputedWhenItIsAskedFor) {
  const Variable list = fill_constant({2}, 3, kInt32);
  KnownValues known = values();
  EXPECT_FALSE(known.note(block().ops[0]));
  EXPECT_EQ(evaluated_, 0);
  Attribute attribute = Integers{};
  EXPECT_TRUE(known.read(list.id(), &attribute));
  EXPECT_TRUE(known.read(list.id(), &attribute));
  EXPECT_EQ(evaluated_, 1);
  EXPECT_EQ(std::get<Integers>(attribute), (Integers{3, 3}));
}

TEST_F(KnownValuesTest, ListsOfIntegersOnlyBecomeAttributes) {
  const Variable reals = fill_constant({2}, 3);
  const Variable list = fill_constant({2}, 3, kInt32);
  KnownValues known = values();
  for (const program::Operator& op : block().ops) known.note(op);
  Attribute integers = Integers{};
  EXPECT_FALSE(known.read(reals.id(), &integers));
  Attribute real = 1.0;
  EXPECT_FALSE(known.read(list.id(), &real));
  EXPECT_EQ(std::get<double>(real), 1.0);
}

TEST_F(KnownValuesTest, HostOutputsStayOnTheHost) {
  const DeviceGuard device("sim:0");
  (void)shape(data("x", {2, 3}, kFloat32));
  KnownValues known = values();
  ASSERT_TRUE(known.note(block().ops[0]));
  EXPECT_EQ(known.constants_for(block().ops[0]).front().guard, "?cpu");
}

}  // namespace
}  // namespace loci::passes
