#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using test_support::InferProbe;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

InferProbe largest(const Shape& x, const Integers& axes, bool keep_dim = false) {
  return infer("reduce_max").input("x", x).attr("axes", axes).attr("keep_dim", keep_dim);
}

TEST(ReduceFoldTest, ExtremesAndProductsReduceAlike) {
  EXPECT_EQ(largest({2, -1, 4}, {0}).shape(), (Shape{-1, 4}));
  for (const char* op : {"reduce_max", "reduce_min", "reduce_prod"}) {
    EXPECT_EQ(infer(op).input("x", {2, 3}, kInt8).types()[0], (TensorType{kInt8, {}})) << op;
    EXPECT_THAT(infer(op).input("x", {2}, kBool).error(), HasSubstr("input 'x' is bool")) << op;
    EXPECT_THAT(infer(op).input("x", {2}).attr("axes", Integers{1}).error(),
                HasSubstr("axes [1] has 1"))
        << op;
  }
}

TEST(ReduceFoldTest, NothingHasNoLargest) {
  EXPECT_THAT(largest({0, 3}, {0}).error(),
              HasSubstr("[reduce_max] x [0, 3] has no elements along axis 0"));
  EXPECT_THAT(infer("reduce_min").input("x", {0}).error(), HasSubstr("no elements along axis 0"));
  EXPECT_EQ(largest({0, 3}, {1}).shape(), (Shape{0}));
  EXPECT_EQ(largest({0, 0}, {1}).shape(), (Shape{0}));
  EXPECT_EQ(infer("reduce_prod").input("x", {0, 3}).shape(), (Shape{}));
}

TEST(ReduceFoldTest, GradientsOfExtremesNeedTheResult) {
  EXPECT_THAT(gradient_of("reduce_max").with("x", {2, 3}).attr("axes", Integers{1}).run().calls(),
              ElementsAre("%0 = reduce_max_grad(x: x, out: out, out_grad: d_out, axes: [1])"));
  EXPECT_THAT(gradient_of("reduce_min").with("x", {2, 3}).attr("keep_dim", true).run().calls(),
              ElementsAre("%0 = reduce_min_grad(x: x, out: out, out_grad: d_out, keep_dim: true)"));
  EXPECT_THAT(gradient_of("reduce_prod").with("x", {2, 3}).run().calls(),
              ElementsAre("%0 = reduce_prod_grad(x: x, out_grad: d_out)"));
}

TEST(ReduceFoldTest, GradientsOfExtremesCheckTheResult) {
  const auto probe = infer("reduce_max_grad").input("x", {-1, 3}).attr("axes", Integers{0});
  EXPECT_EQ(InferProbe(probe).input("out", {3}).input("out_grad", {3}).shape(), (Shape{-1, 3}));
  EXPECT_THAT(InferProbe(probe).input("out", {4}).input("out_grad", {3}).error(),
              HasSubstr("out is [4]; it must be [3], x reduced over the axes"));
  EXPECT_THAT(InferProbe(probe).input("out", {3}).input("out_grad", {4}).error(),
              HasSubstr("out_grad is [4]; it must be [3], x reduced over the axes"));
  EXPECT_THAT(InferProbe(probe).input("out", {3}, kFloat64).input("out_grad", {3}).error(),
              HasSubstr("x is float32 and out is float64"));
}

TEST(ReduceFoldTest, GradientsOfExtremesAreLinear) {
  auto probe = gradient_of("reduce_max_grad").with("x", {2, 3}).with("out", {3});
  probe.with("out_grad", {3}).attr("axes", Integers{0}).run();
  EXPECT_EQ(probe.calls().back(), "%3 = reduce_sum(x: %2, axes: [0])");
  EXPECT_EQ(probe.grad("out_grad"), "%3");
  EXPECT_EQ(probe.grad("x"), "none");
  EXPECT_EQ(probe.grad("out"), "none");
}

TEST(ReduceFoldTest, TheGradientOfAProductIsLinearButNotInX) {
  auto probe = gradient_of("reduce_prod_grad").with("x", {2, 3}).with("out_grad", {});
  probe.unwanted("x").run();
  EXPECT_EQ(probe.calls()[1], "%1 = reduce_prod_grad(x: x, out_grad: %0)");
  EXPECT_NE(probe.grad("out_grad"), "none");
  auto curved = gradient_of("reduce_prod_grad").with("x", {2, 3}).with("out_grad", {});
  EXPECT_THAT([&] { curved.run(); }, ::testing::ThrowsMessage<Error>(HasSubstr(
                                         "[reduce_prod_grad] its gradient is not supported")));
}

}  // namespace
}  // namespace loci::ops
