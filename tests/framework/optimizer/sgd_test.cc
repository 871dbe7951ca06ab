#include <gtest/gtest.h>

#include <loci/layers.hpp>
#include <loci/optimizer.hpp>

#include "framework/program/program_impl.h"

namespace loci {
namespace {

using optimizer::SGD;
using program::Operator;

class SgdTest : public ::testing::Test {
 protected:
  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
};

TEST_F(SgdTest, UpdatesTheParameterInPlaceWithoutState) {
  const Variable w = create_parameter({3}, kFloat32, initializer::constant(1), "w");
  const auto updated = SGD(0.1).minimize(mean(w));
  const Operator& op = main_.impl()->main().ops.back();
  EXPECT_EQ(op.type(), "sgd");
  EXPECT_EQ(op.inputs[0].front(), w.id());
  EXPECT_EQ(op.outputs[0].front(), w.id());
  EXPECT_FALSE(updated.front().rows.defined());
  EXPECT_EQ(startup_.impl()->main().ops.size(), 2U) << "of w and of the learning rate";
}

TEST_F(SgdTest, TakesTheRowsOfASparseGradient) {
  const Variable ids = data("ids", {4}, kInt64);
  const Variable rows = layers::embedding(ids, {10, 3}, {.sparse = true}, kFloat32, "table");
  const auto updated = SGD(0.1).minimize(mean(rows));
  ASSERT_EQ(updated.size(), 1U);
  ASSERT_TRUE(updated.front().rows.defined());
  EXPECT_EQ(updated.front().gradient.shape(), (Shape{4, 3})) << "of the rows, not of the table";
  const Operator& op = main_.impl()->main().ops.back();
  EXPECT_EQ(op.type(), "sgd");
  EXPECT_EQ(op.inputs[3].front(), updated.front().rows.id());
}

}  // namespace
}  // namespace loci
