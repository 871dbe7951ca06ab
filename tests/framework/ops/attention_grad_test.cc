#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::GradientProbe;
using test_support::infer;
using test_support::InferProbe;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

InferProbe gradients(const Shape& out_grad, DType dtype = kFloat32) {
  return infer("attention_grad")
      .input("query", {2, 3, 4})
      .input("key", {2, 5, 4})
      .input("value", {2, 5, 6})
      .input("out_grad", out_grad, dtype)
      .attr("heads", std::int64_t{2});
}

TEST(AttentionGradTest, GradientsHaveTheTypesOfTheInputs) {
  std::vector<Shape> shapes;
  for (const TensorType& type : gradients({2, 3, 6}).types()) shapes.push_back(type.shape);
  EXPECT_THAT(shapes, ElementsAre(Shape{2, 3, 4}, Shape{2, 5, 4}, Shape{2, 5, 6}));
}

TEST(AttentionGradTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(gradients({2, 3, 4}).error(), HasSubstr("the shape of the result"));
  EXPECT_THAT(gradients({2, 3, 6}, kFloat64).error(), HasSubstr("out_grad"));
  EXPECT_THAT(gradients({2, 3, 6}).attr("heads", std::int64_t{3}).error(),
              HasSubstr("3 heads do not divide the width 4 of query"));
}

TEST(AttentionGradTest, CostsFiveProductsAndTheSoftmax) {
  EXPECT_EQ(gradients({2, 3, 6}).cost().flops, 2 * 2 * 3 * 5 * (2 * (3 * 2 + 2 * 3) + 5));
}

TEST(AttentionGradTest, KeepsTheBatchApart) {
  EXPECT_TRUE(infer("attention_grad")
                  .rows("query", {2, 3, 4})
                  .rows("key", {2, 5, 4})
                  .rows("value", {2, 5, 4})
                  .rows("out_grad", {2, 3, 4})
                  .is_batch_independent());
}

GradientProbe second() {
  return gradient_of("attention_grad")
      .with("query", Shape{1, 2, 4})
      .with("key", Shape{1, 3, 4})
      .with("value", Shape{1, 3, 6})
      .with("mask", Shape{2, 3})
      .with("out_grad", Shape{1, 2, 6})
      .attr("heads", std::int64_t{2});
}

TEST(AttentionGradTest, HasAGradientOfEachInput) {
  const auto run = second().run();
  for (const char* slot : {"query", "key", "value", "mask", "out_grad"}) {
    EXPECT_NE(run.grad(slot), "none") << slot;
  }
}

TEST(AttentionGradTest, GoesByTheGradientsThatArrive) {
  const auto of_value = second().no_output_grad("query_grad").no_output_grad("key_grad").run();
  EXPECT_EQ(of_value.grad("value"), "none") << "its gradient is linear in out_grad alone";
  EXPECT_NE(of_value.grad("query"), "none");
  EXPECT_NE(of_value.grad("out_grad"), "none");
  const auto of_key = second().no_output_grad("query_grad").no_output_grad("value_grad").run();
  for (const char* slot : {"query", "key", "value", "mask", "out_grad"}) {
    EXPECT_NE(of_key.grad(slot), "none") << slot;
  }
}

}  // namespace
}  // namespace loci::ops
