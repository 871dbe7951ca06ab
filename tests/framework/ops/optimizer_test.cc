#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/ops/op_registry.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using ::testing::HasSubstr;

test_support::InferProbe sgd(const Shape& param, const Shape& grad, const Shape& rate) {
  return infer("sgd").input("param", param).input("grad", grad).input("learning_rate", rate);
}

TEST(OptimizerTest, SgdUpdatesTheParameter) {
  EXPECT_EQ(sgd({2, 3}, {2, 3}, {1}).types()[0], (TensorType{kFloat32, {2, 3}}));
  EXPECT_EQ(op_registry().get("sgd").outputs()[0].updates, "param");
}

TEST(OptimizerTest, SgdRefusesAGradientThatDoesNotFit) {
  EXPECT_THAT(sgd({2, 3}, {3, 2}, {}).error(), HasSubstr("grad is [3, 2]; it must be [2, 3]"));
}

TEST(OptimizerTest, SgdRefusesSeveralRates) {
  EXPECT_THAT(sgd({2}, {2}, {2}).error(), HasSubstr("learning_rate is [2]; give one number"));
  EXPECT_THAT(infer("sgd")
                  .input("param", {2})
                  .input("grad", {2})
                  .input("learning_rate", {}, kFloat64)
                  .error(),
              HasSubstr("input 'learning_rate' is float64; it takes float32"));
}

}  // namespace
}  // namespace loci::ops
