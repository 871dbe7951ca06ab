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

InferProbe transposed(const Shape& x, const Shape& filter) {
  return infer("conv2d_transpose").input("x", x).input("filter", filter);
}

TEST(Conv2dTransposeTest, InfersTheResult) {
  EXPECT_EQ(transposed({8, 16, 5, 7}, {16, 3, 3, 3}).shape(), (Shape{8, 3, 7, 9}));
  EXPECT_EQ(transposed({8, 16, 3, 9}, {16, 2, 3, 3})
                .attr("groups", std::int64_t{2})
                .attr("strides", Integers{3, 1})
                .attr("paddings", Integers{1, 0, 2, 2})
                .attr("dilations", Integers{1, 2})
                .attr("output_padding", Integers{2, 0})
                .shape(),
            (Shape{8, 4, 10, 9}));
}

TEST(Conv2dTransposeTest, CarriesUnknownExtents) {
  EXPECT_EQ(transposed({-1, 16, 5, -1}, {16, 3, 3, 3}).shape(), (Shape{-1, 3, 7, -1}));
  EXPECT_EQ(transposed({2, -1, 5, 5}, {4, -1, -1, 3}).shape(), (Shape{2, -1, -1, 7}));
}

TEST(Conv2dTransposeTest, CostsTwoOperationsForEachProduct) {
  EXPECT_EQ(transposed({2, 6, 3, 3}, {6, 2, 3, 3}).cost().flops, 2 * (2 * 6 * 3 * 3) * (2 * 3 * 3));
}

TEST(Conv2dTransposeTest, KeepsTheRowsOfABatchApart) {
  EXPECT_TRUE(infer("conv2d_transpose")
                  .rows("x", {4, 3, 5, 5})
                  .input("filter", {3, 2, 3, 3})
                  .is_batch_independent());
  EXPECT_FALSE(infer("conv2d_transpose")
                   .input("x", {3, 3, 5, 5})
                   .rows("filter", {3, 2, 3, 3})
                   .is_batch_independent());
}

TEST(Conv2dTransposeTest, RefusesRanksAndDtypes) {
  EXPECT_THAT(transposed({3, 7, 9}, {3, 3, 3, 3}).error(), HasSubstr("x has 3 dimensions"));
  EXPECT_THAT(transposed({1, 3, 7, 9}, {3, 3, 3}).error(),
              HasSubstr("filter has 3 dimensions; give 4: [channels, filters / groups"));
  EXPECT_THAT(infer("conv2d_transpose")
                  .input("x", {1, 3, 7, 9})
                  .input("filter", {3, 3, 3, 3}, kFloat64)
                  .error(),
              HasSubstr("x is float32 and filter is float64"));
}

TEST(Conv2dTransposeTest, RefusesChannelsThatDoNotFit) {
  EXPECT_THAT(transposed({1, 3, 7, 9}, {16, 3, 3, 3}).error(),
              HasSubstr("x has 3 channels, so the filter needs 3 of them, not 16"));
  EXPECT_THAT(transposed({1, 3, 7, 9}, {3, 1, 3, 3}).attr("groups", std::int64_t{2}).error(),
              HasSubstr("3 channels of x cannot be divided into 2 groups"));
  EXPECT_THAT(transposed({1, 4, 7, 9}, {4, 2, 3, 3}).attr("groups", std::int64_t{0}).error(),
              HasSubstr("groups is 0; give one in [1,"));
  EXPECT_THAT(transposed({1, 4, 7, 9}, {4, 0, 3, 3}).error(),
              HasSubstr("filter has 0 channels in each of 1 groups"));
}

TEST(Conv2dTransposeTest, RefusesWindowsThatAreNone) {
  EXPECT_THAT(transposed({1, 3, 7, 9}, {3, 3, 0, 3}).error(),
              HasSubstr("an extent of filter is 0; give one in [1,"));
  EXPECT_THAT(transposed({1, 3, 0, 9}, {3, 3, 1, 3}).error(),
              HasSubstr("an extent of x is 0; give one in [1,"));
  EXPECT_THAT(transposed({1, 3, 7, 9}, {3, 3, 1, 3}).attr("strides", Integers{0, 1}).error(),
              HasSubstr("strides [0, 1] has 0"));
  EXPECT_THAT(transposed({1, 3, 7, 9}, {3, 3, 1, 3}).attr("paddings", Integers{1}).error(),
              HasSubstr("paddings [1] has 1 values"));
  EXPECT_THAT(transposed({1, 3, 7, 9}, {3, 3, 1, 3}).attr("paddings", Integers{-1, 0}).error(),
              HasSubstr("paddings [-1, 0] has -1; give values in [0,"));
}

TEST(Conv2dTransposeTest, RefusesOutputPaddingThatAWindowWouldFill) {
  EXPECT_THAT(transposed({1, 3, 7, 9}, {3, 3, 3, 3})
                  .attr("strides", Integers{2, 1})
                  .attr("output_padding", Integers{1, 1})
                  .error(),
              HasSubstr("output_padding is 1 along the width, where the stride is 1; give less"));
}

TEST(Conv2dTransposeTest, RefusesResultsOfNoOrAbsurdExtent) {
  EXPECT_THAT(transposed({1, 3, 1, 9}, {3, 3, 3, 3}).attr("paddings", Integers{2, 0}).error(),
              HasSubstr("nothing is left along the height: windows spread over 3, and the padding "
                        "takes 2 before and 2 after"));
  EXPECT_THAT(
      transposed({1, 3, 1 << 30, 9}, {3, 3, 3, 3}).attr("strides", Integers{1 << 30, 1}).error(),
      HasSubstr("the height of the result is 1152921503533105155; at most 2147483647"));
}

TEST(Conv2dTransposeTest, GradientsAreConvolutions) {
  const auto probe = gradient_of("conv2d_transpose")
                         .with("x", {-1, 3, 7, 7})
                         .with("filter", {3, 2, 3, 3})
                         .attr("strides", Integers{2, 2})
                         .attr("output_padding", Integers{1, 1})
                         .run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = conv2d(x: d_out, filter: filter, strides: [2, 2])",
                          "%1 = conv2d_grad_filter(x: d_out, out_grad: x, filter: filter, "
                          "strides: [2, 2])"));
  EXPECT_EQ(probe.grad("x"), "%0");
  EXPECT_EQ(probe.grad("filter"), "%1");
}

}  // namespace
}  // namespace loci::ops
