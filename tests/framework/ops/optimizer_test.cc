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

TEST(OptimizerTest, RowsOfAGradientNameRowsOfTheParameter) {
  const auto rows = [](const Shape& param, const Shape& grad, const Shape& ids) {
    return sgd(param, grad, {}).input("rows", ids, kInt64);
  };
  EXPECT_EQ(rows({5, 3}, {2, 3}, {2}).types()[0], (TensorType{kFloat32, {5, 3}}));
  EXPECT_THAT(rows({5, 3}, {2, 4}, {2}).error(), HasSubstr("grad is [2, 4]; it must be [2, 3]"));
  EXPECT_THAT(rows({5, 3}, {3, 3}, {2}).error(), HasSubstr("grad is [3, 3]; it must be [2, 3]"));
  EXPECT_THAT(rows({}, {2}, {2}).error(), HasSubstr("param has no rows"));
}

TEST(OptimizerTest, StateIsKeptInTheDTypeComputedIn) {
  const auto momentum = [](DType param, DType velocity) {
    return infer("momentum")
        .input("param", {2}, param)
        .input("grad", {2}, param)
        .input("velocity", {2}, velocity)
        .input("learning_rate", {});
  };
  EXPECT_EQ(momentum(kFloat16, kFloat32).types()[1], (TensorType{kFloat32, {2}}));
  EXPECT_EQ(momentum(kFloat64, kFloat64).types()[1], (TensorType{kFloat64, {2}}));
  EXPECT_THAT(momentum(kFloat16, kFloat16).error(),
              HasSubstr("velocity is float16; for a parameter of float16 it has to be float32"));
}

TEST(OptimizerTest, AdamChecksWhatItKeeps) {
  const auto adam = [](const Shape& moment, const Shape& step) {
    return infer("adam")
        .input("param", {2})
        .input("grad", {2})
        .input("moment1", {2})
        .input("moment2", moment)
        .input("step", step, kInt64)
        .input("learning_rate", {});
  };
  EXPECT_EQ(adam({2}, {}).types().size(), 3U);
  EXPECT_THAT(adam({3}, {}).error(), HasSubstr("moment2 is [3]; it must be [2]"));
  EXPECT_EQ(adam({2}, {2}).attr("counter", std::int64_t{1}).types().size(), 3U);
  EXPECT_THAT(adam({2}, {2}).attr("counter", std::int64_t{2}).error(),
              HasSubstr("step is [2], which has no 1 numbers from number 2 on"));
  EXPECT_THAT(adam({2}, {1, 1}).error(),
              HasSubstr("step is [1, 1]; give numbers of shape [] or [count]"));
  EXPECT_THAT(adam({2}, {}).attr("beta1", 1.0).error(),
              HasSubstr("beta1 is 1; give one in [0, 1)"));
}

TEST(OptimizerTest, IncrementTakesSomeOfItsNumbers) {
  EXPECT_EQ(op_registry().get("increment").outputs()[0].updates, "x");
  const auto increment = [](const Shape& x, std::int64_t first, std::int64_t count) {
    return infer("increment").input("x", x, kInt64).attr("first", first).attr("count", count);
  };
  EXPECT_EQ(increment({}, 0, 0).shape(), Shape{});
  EXPECT_EQ(increment({3}, 1, 2).shape(), Shape{3});
  EXPECT_EQ(increment({-1}, 1, 2).shape(), Shape{-1});
  EXPECT_THAT(increment({3}, 2, 2).error(),
              HasSubstr("x is [3], which has no 2 numbers from number 2 on"));
  EXPECT_THAT(increment({3}, -1, 1).error(), HasSubstr("from number -1 on"));
  EXPECT_THAT(increment({3, 1}, 0, 0).error(), HasSubstr("give numbers of shape [] or [count]"));
}

}  // namespace
}  // namespace loci::ops
