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
using ::testing::IsEmpty;

InferProbe sized(const Shape& x, std::int64_t height, std::int64_t width) {
  return infer("bilinear_interp").input("x", x).attr("out_h", height).attr("out_w", width);
}

InferProbe scaled(const Shape& x, double scale) {
  return infer("bilinear_interp").input("x", x).attr("scale", scale);
}

TEST(BilinearInterpTest, TheResultHasTheSizeAskedFor) {
  EXPECT_EQ(sized({-1, 3, -1, 5}, 7, 9).shape(), (Shape{-1, 3, 7, 9}));
  EXPECT_EQ(scaled({2, 3, -1, 5}, 1.5).shape(), (Shape{2, 3, -1, 7}));
  EXPECT_EQ(scaled({0, 3, 4, 5}, 2).shape(), (Shape{0, 3, 8, 10}));
}

TEST(BilinearInterpTest, NeedsEitherSizeOrScale) {
  const char* message = "give either both extents or a finite scale";
  EXPECT_THAT(infer("bilinear_interp").input("x", {1, 1, 4, 4}).error(), HasSubstr(message));
  EXPECT_THAT(sized({1, 1, 4, 4}, 3, 0).error(), HasSubstr("are 3, 0 and 0"));
  EXPECT_THAT(sized({1, 1, 4, 4}, -3, 4).error(), HasSubstr(message));
  EXPECT_THAT(sized({1, 1, 4, 4}, 3, 4).attr("scale", 2.0).error(), HasSubstr(message));
  EXPECT_THAT(scaled({1, 1, 4, 4}, -1).error(), HasSubstr(message));
}

TEST(BilinearInterpTest, RefusesAnUnknownMode) {
  EXPECT_THAT(sized({1, 1, 4, 4}, 2, 2).attr("align_mode", std::int64_t{2}).error(),
              HasSubstr("align_mode is 2; give 0"));
}

TEST(BilinearInterpTest, RefusesWhatIsNoImage) {
  EXPECT_THAT(sized({1, 4, 4}, 2, 2).error(), HasSubstr("[batch, channels, height, width]"));
  EXPECT_THAT(sized({1, 1, 0, 4}, 2, 2).error(),
              HasSubstr("x is [1, 1, 0, 4]; height and width have to be in [1, 2147483647]"));
}

TEST(BilinearInterpTest, RefusesAResultWithoutRows) {
  EXPECT_THAT(scaled({1, 1, 4, 40}, 0.1).error(), HasSubstr("the result would have height 0"));
  EXPECT_THAT(scaled({1, 1, 4, 4}, 1e9).error(),
              HasSubstr("the result would have height 4000000000"));
  EXPECT_THAT(sized({1, 1, 4, 4}, 2, std::int64_t{1} << 40).error(),
              HasSubstr("the result would have width"));
}

TEST(BilinearInterpTest, TheGradientHasTheSameAttributes) {
  auto probe = gradient_of("bilinear_interp").with("x", {-1, 3, 4, 4}).attr("scale", 2.0);
  EXPECT_THAT(probe.run().calls(),
              ElementsAre("%0 = bilinear_interp_grad(out_grad: d_out, x: x, scale: 2)"));
  EXPECT_EQ(probe.grad("x"), "%0");
}

TEST(BilinearInterpTest, UnwantedGradientsCostNothing) {
  auto probe = gradient_of("bilinear_interp").with("x", {2, 3, 4, 4}).attr("scale", 2.0);
  EXPECT_THAT(probe.unwanted("x").run().calls(), IsEmpty());
}

TEST(BilinearInterpTest, TheGradientChecksItsArguments) {
  const auto op = [](const Shape& grad, DType dtype) {
    return infer("bilinear_interp_grad")
        .input("out_grad", grad, dtype)
        .input("x", {2, 3, 4, 5})
        .attr("scale", 2.0);
  };
  EXPECT_THAT(op({2, 3, 8, 9}, kFloat32).error(),
              HasSubstr("out_grad is [2, 3, 8, 9]; it must be [2, 3, 8, 10]"));
  EXPECT_THAT(op({2, 3, 8, 10}, kFloat64).error(), HasSubstr("cast one of them"));
}

TEST(BilinearInterpTest, TheGradientOfTheGradientInterpolates) {
  auto probe = gradient_of("bilinear_interp_grad")
                   .with("out_grad", {2, 3, 8, 8})
                   .with("x", {2, 3, 4, 4})
                   .attr("scale", 2.0);
  EXPECT_THAT(probe.run().calls(), ElementsAre("%0 = bilinear_interp(x: d_x_grad, scale: 2)"));
  EXPECT_EQ(probe.grad("out_grad"), "%0");
}

TEST(BilinearInterpTest, CostsThreeInterpolationsForEachElement) {
  EXPECT_EQ(sized({2, 3, 4, 4}, 8, 8).cost().flops, 2 * 3 * 64 * 9);
}

}  // namespace
}  // namespace loci::ops
