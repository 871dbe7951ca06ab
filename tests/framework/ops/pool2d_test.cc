#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Integers = std::vector<std::int64_t>;

TEST(Pool2dTest, InfersTheResult) {
  EXPECT_EQ(infer("pool2d").input("x", {2, 3, 8, 7}).shape(), (Shape{2, 3, 4, 3}));
  EXPECT_EQ(infer("pool2d").input("x", {2, 3, 8, 7}).attr("ceil_mode", true).shape(),
            (Shape{2, 3, 4, 4}));
  EXPECT_EQ(infer("pool2d").input("x", {-1, 3, -1, 7}).shape(), (Shape{-1, 3, -1, 3}));
}

TEST(Pool2dTest, GlobalPoolingIgnoresWindowAndPadding) {
  EXPECT_EQ(infer("pool2d")
                .input("x", {2, 3, 8, -1})
                .attr("global_pooling", true)
                .attr("paddings", Integers{5, 5})
                .shape(),
            (Shape{2, 3, 1, 1}));
}

TEST(Pool2dTest, CostsOneOperationForEachElementOfEachWindow) {
  EXPECT_EQ(infer("pool2d").input("x", {2, 3, 8, 8}).cost().flops, 2 * 3 * 4 * 4 * 4);
  EXPECT_EQ(infer("pool2d").input("x", {2, 3, 8, 8}).attr("global_pooling", true).cost().flops,
            2 * 3 * 64);
}

TEST(Pool2dTest, RefusesAnUnknownType) {
  EXPECT_THAT(
      infer("pool2d").input("x", {2, 3, 8, 8}).attr("pooling_type", std::string("min")).error(),
      HasSubstr("pooling_type is \"min\"; give \"max\" or \"avg\""));
}

TEST(Pool2dTest, RefusesPaddingAsLargeAsTheWindow) {
  EXPECT_THAT(infer("pool2d").input("x", {2, 3, 8, 8}).attr("paddings", Integers{0, 2}).error(),
              HasSubstr("paddings [0, 2] are not smaller than ksize [2, 2]"));
  EXPECT_THAT(
      infer("pool2d").input("x", {2, 3, 8, 8}).attr("paddings", Integers{1, 2, 0, 0}).error(),
      HasSubstr("paddings [1, 2, 0, 0] are not smaller"));
}

TEST(Pool2dTest, RefusesAnEmptyImage) {
  EXPECT_THAT(infer("pool2d").input("x", {2, 3, 0, 8}).attr("global_pooling", true).error(),
              HasSubstr("x is [2, 3, 0, 8]; an image needs height and width"));
  EXPECT_EQ(infer("pool2d").input("x", {0, 3, 8, 8}).shape(), (Shape{0, 3, 4, 4}));
}

TEST(Pool2dTest, TheGradientHasTheSameAttributes) {
  const auto probe = gradient_of("pool2d").with("x", {-1, 3, 8, 8}).attr("ceil_mode", true).run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = pool2d_grad(x: x, out: out, out_grad: d_out, ceil_mode: true)"));
  EXPECT_EQ(probe.grad("x"), "%0");
}

TEST(Pool2dTest, TheGradientChecksItsArguments) {
  EXPECT_THAT(infer("pool2d_grad")
                  .input("x", {2, 3, 8, 8})
                  .input("out", {2, 3, 4, 4})
                  .input("out_grad", {2, 3, 4, 5})
                  .error(),
              HasSubstr("out_grad is [2, 3, 4, 5]; it must be [2, 3, 4, 4]"));
}

test_support::GradientProbe second_gradient(const char* pooling_type) {
  test_support::GradientProbe probe("pool2d_grad");
  probe.with("x", {2, 3, 8, 8}).with("out", {2, 3, 4, 4}).with("out_grad", {2, 3, 4, 4});
  return probe.attr("pooling_type", std::string(pooling_type));
}

TEST(Pool2dTest, AveragesCanBeDifferentiatedTwice) {
  auto probe = second_gradient("avg");
  EXPECT_THAT(probe.run().calls(), ElementsAre("%0 = pool2d(x: d_x_grad, pooling_type: \"avg\")"));
  EXPECT_EQ(probe.grad("out_grad"), "%0");
}

TEST(Pool2dTest, MaximaCannotBeDifferentiatedTwice) {
  auto probe = second_gradient("max");
  EXPECT_THAT([&] { probe.run(); },
              ThrowsMessage<Error>(HasSubstr("max pooling cannot be differentiated twice")));
}

}  // namespace
}  // namespace loci::ops
