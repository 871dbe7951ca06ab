#include "framework/passes/joined_moves.h"

#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;
using Integers = std::vector<std::int64_t>;

class JoinedMovesTest : public PassTest {
 protected:
  // The operators as the pass goes through them; the last one.
  const program::Operator& join() {
    ValueOrigins origins(block());
    for (program::Operator& op : block().ops) {
      join_move(op, origins);
      origins.note(op);
    }
    return block().ops.back();
  }
  bool last_reads(const Variable& x) { return join().inputs[0].front() == x.id(); }
  static Integers list(const program::Operator& op, const char* name) {
    return std::get<Integers>(op.attributes.at(name));
  }

  const Variable x_ = data("x", {2, 3, 4}, kFloat32);
};

TEST_F(JoinedMovesTest, TransposesAreOne) {
  const Variable out = transpose(transpose(x_, {1, 2, 0}), {-1, 1, 0});
  const Shape shape = out.shape();
  EXPECT_TRUE(last_reads(x_));
  const Integers perm = list(block().ops.back(), "perm");
  EXPECT_THAT(perm, ElementsAre(0, 2, 1));
  EXPECT_EQ(shape, (Shape{2, 4, 3}));
}

TEST_F(JoinedMovesTest, ReshapesAreOne) {
  (void)reshape(reshape(unsqueeze(x_, {0}), {6, 4}), {4, -1});
  EXPECT_TRUE(last_reads(x_));
  EXPECT_THAT(list(block().ops.back(), "shape"), ElementsAre(4, -1));
}

// The extent that it copies is one of what it does not read any more.
TEST_F(JoinedMovesTest, CopiedExtentsAreSpeltOut) {
  (void)reshape(reshape(x_, {6, 4}), {0, 2, -1});
  EXPECT_TRUE(last_reads(x_));
  EXPECT_THAT(list(block().ops.back(), "shape"), ElementsAre(6, 2, 2));
}

TEST_F(JoinedMovesTest, CopiedExtentsThatAreUnknownStayCopied) {
  const Variable unknown = data("unknown", {-1, 4}, kFloat32);
  const Variable between = reshape(unknown, {-1, 2, 4});
  (void)reshape(between, {0, 8});
  EXPECT_TRUE(last_reads(between));
}

TEST_F(JoinedMovesTest, AListThatIsReadStays) {
  const Variable between = flatten(x_);
  (void)reshape(between, data("list", {2}, kInt64));
  EXPECT_TRUE(last_reads(between));
}

TEST_F(JoinedMovesTest, OthersGoByTheShapeOfTheirInput) {
  const Variable between = reshape(x_, {1, 24});
  (void)squeeze(between);
  EXPECT_TRUE(last_reads(between));
}

TEST_F(JoinedMovesTest, WhatIsElsewhereStaysThere) {
  Variable first;
  {
    const DeviceGuard elsewhere("sim:1");
    first = transpose(x_, {1, 2, 0});
  }
  (void)transpose(first, {1, 2, 0});
  EXPECT_TRUE(last_reads(first));
}

TEST_F(JoinedMovesTest, StateThatIsUpdatedIsReadWhereItWas) {
  const Variable w = create_parameter({2, 3}, kFloat32, initializer::constant(1), "w");
  const Variable first = transpose(w, {1, 0});
  (void)OpCall<Variable>("sgd")
      .input("param", w)
      .input("grad", data("grad", {2, 3}, kFloat32))
      .input("learning_rate", fill_constant({}, 0.1))
      .result();
  (void)transpose(first, {1, 0});
  EXPECT_TRUE(last_reads(first));
}

}  // namespace
}  // namespace loci::passes
