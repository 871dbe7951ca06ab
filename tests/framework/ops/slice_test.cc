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

InferProbe sliced(const Shape& x, const Integers& axes, const Integers& starts,
                  const Integers& ends, const Integers& steps = {}) {
  return infer("slice")
      .input("x", x)
      .attr("axes", axes)
      .attr("starts", starts)
      .attr("ends", ends)
      .attr("steps", steps);
}

InferProbe cropped(const Shape& x, const Integers& shape, const Integers& offsets = {}) {
  return infer("crop_tensor").input("x", x).attr("shape", shape).attr("offsets", offsets);
}

TEST(SliceTest, CutsTheNamedAxes) {
  EXPECT_EQ(sliced({4, 6}, {1}, {1}, {3}).shape(), (Shape{4, 2}));
  EXPECT_EQ(sliced({4, 6}, {-1, 0}, {5, 1}, {0, 4}, {-2, 2}).shape(), (Shape{2, 3}));
  EXPECT_EQ(sliced({-1, 6}, {0}, {0}, {3}).shape(), (Shape{-1, 6}));
  EXPECT_EQ(sliced({4}, {}, {}, {}).shape(), (Shape{4}));
}

TEST(SliceTest, TakesTheBoundsFromTensors) {
  const auto with_bounds = infer("slice")
                               .input("x", {4, 6})
                               .host_values("starts_tensor", {1})
                               .host_values("ends_tensor", {-1})
                               .attr("axes", Integers{1});
  EXPECT_EQ(with_bounds.shape(), (Shape{4, 4}));
  const auto unknown = infer("slice")
                           .input("x", {4, 6})
                           .input("starts_tensor", {1}, kInt32)
                           .attr("ends", Integers{3})
                           .attr("axes", Integers{1});
  EXPECT_EQ(unknown.shape(), (Shape{4, -1}));
}

TEST(SliceTest, RefusesBoundsThatDoNotMatch) {
  EXPECT_THAT(sliced({4, 6}, {0, 1}, {1}, {2, 2}).error(),
              HasSubstr("starts has 1 element(s) for 2 axes; give one for each"));
  EXPECT_THAT(sliced({4}, {0}, {1}, {}).error(), HasSubstr("ends has 0 element(s)"));
  EXPECT_THAT(sliced({4}, {0}, {1}, {2}, {1, 1}).error(), HasSubstr("steps has 2 element(s)"));
  EXPECT_THAT(sliced({4}, {0}, {1}, {2}, {0}).error(), HasSubstr("give a step that moves"));
  EXPECT_THAT(sliced({4}, {1}, {1}, {2}).error(), HasSubstr("axes [1] has 1"));
}

TEST(SliceTest, ItsGradientPutsThePartBack) {
  const auto probe = gradient_of("slice")
                         .with("x", {4, 6})
                         .with("starts_tensor", {1}, kInt64)
                         .attr("axes", Integers{1})
                         .attr("ends", Integers{3})
                         .run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = slice_grad(x: x, starts_tensor: starts_tensor, out_grad: d_out, "
                          "axes: [1], ends: [3])"));
  EXPECT_EQ(probe.grad("x"), "%0");
}

TEST(SliceTest, TheGradientOfItsGradientIsASlice) {
  const auto probe = gradient_of("slice_grad")
                         .with("x", {4, 6})
                         .with("out_grad", {4, 2})
                         .attr("axes", Integers{1})
                         .attr("starts", Integers{1})
                         .attr("ends", Integers{3})
                         .run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = slice(x: d_x_grad, axes: [1], ends: [3], starts: [1])"));
  EXPECT_THAT(infer("slice_grad")
                  .input("x", {4})
                  .input("out_grad", {3})
                  .attr("axes", Integers{0})
                  .attr("starts", Integers{0})
                  .attr("ends", Integers{2})
                  .error(),
              HasSubstr("out_grad is [3]; it must be [2], the slice of x"));
}

InferProbe replaced(const Shape& x, const Shape& y, DType dtype = kFloat32) {
  return infer("set_slice")
      .input("x", x)
      .input("y", y, dtype)
      .attr("axes", Integers{0})
      .attr("starts", Integers{1})
      .attr("ends", Integers{3});
}

TEST(SetSliceTest, HasTheTypeOfTheWhole) {
  EXPECT_EQ(replaced({4, 6}, {2, 6}).shape(), (Shape{4, 6}));
  EXPECT_EQ(replaced({4, 6}, {1, 6}).shape(), (Shape{4, 6}));
  EXPECT_EQ(replaced({4, 6}, {}).shape(), (Shape{4, 6}));
  EXPECT_EQ(replaced({-1, 6}, {5, 6}).shape(), (Shape{-1, 6}));
}

TEST(SetSliceTest, RefusesWhatDoesNotFitIntoThePart) {
  EXPECT_THAT(replaced({4, 6}, {3, 6}).error(),
              HasSubstr("y is [3, 6], which cannot be repeated to [2, 6], the slice of x"));
  EXPECT_THAT(replaced({4, 6}, {2, 2, 6}).error(),
              HasSubstr("y is [2, 2, 6], which cannot be repeated to [2, 6]"));
  EXPECT_THAT(replaced({4}, {2}, kInt64).error(), HasSubstr("int64"));
}

TEST(SetSliceTest, ItsGradientGoesToBoth) {
  const auto probe = gradient_of("set_slice")
                         .with("x", {4, 6})
                         .with("y", {6})
                         .attr("axes", Integers{0})
                         .attr("starts", Integers{1})
                         .attr("ends", Integers{3})
                         .run();
  EXPECT_THAT(probe.calls(), ElementsAre(HasSubstr("%0 = "),
                                         HasSubstr("%1 = set_slice(x: d_out, y: %0, axes: [0], "),
                                         HasSubstr("%2 = slice(x: d_out, axes: [0], "),
                                         HasSubstr("%3 = reduce_sum_like(x: %2, ")));
  EXPECT_EQ(probe.grad("x"), "%1");
  EXPECT_EQ(probe.grad("y"), "%3");
}

TEST(CropTensorTest, CutsFromTheOffsets) {
  EXPECT_EQ(cropped({4, 6}, {2, 3}, {1, 2}).shape(), (Shape{2, 3}));
  EXPECT_EQ(cropped({4, 6}, {-1, 3}, {1, 2}).shape(), (Shape{3, 3}));
  EXPECT_EQ(cropped({-1, 6}, {2, -1}).shape(), (Shape{2, 6}));
  const auto by_tensor =
      infer("crop_tensor").input("x", {4, 6}).host_values("shape_tensor", {3, -1});
  EXPECT_EQ(by_tensor.shape(), (Shape{3, 6}));
  const auto unknown = infer("crop_tensor").input("x", {4, 6}).input("shape_tensor", {2}, kInt32);
  EXPECT_EQ(unknown.shape(), (Shape{-1, -1}));
  const auto unknown_offset = infer("crop_tensor")
                                  .input("x", {4, 6})
                                  .input("offsets_tensor", {2}, kInt32)
                                  .attr("shape", Integers{2, -1});
  EXPECT_EQ(unknown_offset.shape(), (Shape{2, -1}));
}

TEST(CropTensorTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(cropped({4, 6}, {2, 5}, {1, 2}).error(),
              HasSubstr("a crop of 5 from 2 on does not fit into axis 1 of x [4, 6]"));
  EXPECT_THAT(cropped({4}, {2}, {-1}).error(), HasSubstr("offsets [-1] has -1; give 0 or more"));
  EXPECT_THAT(cropped({4}, {-2}).error(), HasSubstr("shape has the extent -2"));
  EXPECT_THAT(cropped({4}, {-1}, {5}).error(), HasSubstr("a crop of -1 from 5 on"));
  EXPECT_THAT(cropped({4}, {1, 1}).error(), HasSubstr("shape has 2 element(s) for 1 axes"));
}

TEST(CropTensorTest, ItsGradientsGoBackAndForth) {
  const auto first = gradient_of("crop_tensor")
                         .with("x", {4, 6})
                         .attr("shape", Integers{2, 3})
                         .attr("offsets", Integers{1, 2})
                         .run();
  EXPECT_THAT(first.calls(),
              ElementsAre("%0 = crop_tensor_grad(x: x, out_grad: d_out, offsets: [1, 2])"));
  const auto second = gradient_of("crop_tensor_grad")
                          .with("x", {4, 6})
                          .with("out_grad", {2, 3})
                          .attr("offsets", Integers{1, 2})
                          .run();
  EXPECT_THAT(second.calls(),
              ElementsAre("%0 = shape(x: out_grad)",
                          "%1 = crop_tensor(x: d_x_grad, shape_tensor: %0, offsets: [1, 2])"));
}

}  // namespace
}  // namespace loci::ops
