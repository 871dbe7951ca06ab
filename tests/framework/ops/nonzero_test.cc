#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/ops/op_registry.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;

TEST(NonzeroTest, TheCountIsNotKnown) {
  const auto types = infer("nonzero").input("x", {4, 3}, kBool).types();
  EXPECT_EQ(types[0], (TensorType{kInt64, {-1, 2}}));
  EXPECT_EQ(types[1], (TensorType{kInt64, {1}}));
  EXPECT_EQ(infer("nonzero").input("x", {}).shape(), (Shape{-1, 0}));
}

TEST(NonzeroTest, TheBoundIsEveryElement) {
  const OpSchema& schema = op_registry().get("nonzero");
  EXPECT_EQ(schema.outputs()[0].extent, Extent::kBounded);
  EXPECT_EQ(schema.outputs()[0].count, "count");
  const Attributes none;
  InferContext known(schema, {{{{kFloat32, {4, 3}}, "x", {}}}}, none);
  known.run();
  EXPECT_EQ(known.bounds()[0][0].shape, (Shape{12, 2}));
  InferContext unknown(schema, {{{{kFloat32, {-1, 3}}, "x", {}}}}, none);
  unknown.run();
  EXPECT_EQ(unknown.bounds()[0][0].shape, (Shape{-1, 2}));
}

}  // namespace
}  // namespace loci::ops
