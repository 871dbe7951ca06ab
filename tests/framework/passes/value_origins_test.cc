#include "framework/passes/value_origins.h"

#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

using ValueOriginsTest = PassTest;

TEST_F(ValueOriginsTest, KnowsWhatWasComputedSoFar) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable first = relu(x);
  const Variable second = relu(first);
  ValueOrigins origins(block());
  origins.note(block().ops[0]);
  EXPECT_EQ(origins.maker(first.id()), &block().ops[0]);
  EXPECT_EQ(origins.maker(second.id()), nullptr);
  EXPECT_EQ(origins.maker(x.id()), nullptr);
  EXPECT_TRUE(origins.is_steady(x.id()));
  EXPECT_TRUE(origins.is_steady(first.id()));
  EXPECT_FALSE(origins.is_steady(second.id()));
  EXPECT_TRUE(origins.is_read(first.id()));
  EXPECT_FALSE(origins.is_read(second.id()));
}

TEST_F(ValueOriginsTest, StateIsSteadyUnlessItIsUpdated) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(1), "w");
  const Variable still = create_parameter({2}, kFloat32, initializer::constant(1), "still");
  (void)OpCall<Variable>("sgd")
      .input("param", w)
      .input("grad", still)
      .input("learning_rate", fill_constant({}, 0.1))
      .result();
  ValueOrigins origins(block());
  for (const program::Operator& op : block().ops) origins.note(op);
  EXPECT_FALSE(origins.is_steady(w.id()));
  EXPECT_TRUE(origins.is_steady(still.id()));
  EXPECT_EQ(origins.maker(w.id()), nullptr);
}

TEST_F(ValueOriginsTest, GuardsAreThoseOfTheMakers) {
  const Variable x = data("x", {2}, kFloat32);
  const DeviceGuard elsewhere("sim:1");
  const Variable made = relu(x);
  ValueOrigins origins(block());
  origins.note(block().ops[0]);
  EXPECT_EQ(origins.guard(x.id()), "");
  EXPECT_EQ(origins.guard(made.id()), "sim:1");
}

TEST_F(ValueOriginsTest, OneTypeIsOneDtypeAndOneKnownShape) {
  const Variable x = data("x", {2, 3}, kFloat32);
  const ValueOrigins origins(block());
  const auto same = [&](const Variable& other) {
    return ValueOrigins(block()).have_one_type(x.id(), other.id());
  };
  EXPECT_TRUE(same(data("same", {2, 3}, kFloat32)));
  EXPECT_FALSE(same(data("dtype", {2, 3}, kInt32)));
  EXPECT_FALSE(same(data("shape", {3, 2}, kFloat32)));
  const Variable unknown = data("unknown", {-1, 3}, kFloat32);
  EXPECT_FALSE(ValueOrigins(block()).have_one_type(unknown.id(), unknown.id()));
}

}  // namespace
}  // namespace loci::passes
