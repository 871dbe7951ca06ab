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

InferProbe joined(const char* op, const std::vector<Shape>& shapes, std::int64_t axis) {
  InferProbe probe = infer(op).attr("axis", axis);
  for (const Shape& shape : shapes) probe.input("x", shape);
  return probe;
}

InferProbe split_by(const Shape& x, std::int64_t num, const Integers& sections,
                    std::int64_t axis = 0) {
  return infer("split")
      .input("x", x)
      .attr("num", num)
      .attr("sections", sections)
      .attr("axis", axis);
}

std::vector<Shape> shapes_of(const InferProbe& probe) {
  std::vector<Shape> shapes;
  for (const TensorType& type : probe.types()) shapes.push_back(type.shape);
  return shapes;
}

TEST(ConcatTest, AddsUpAlongTheAxis) {
  EXPECT_EQ(joined("concat", {{2, 3}, {4, 3}}, 0).shape(), (Shape{6, 3}));
  EXPECT_EQ(joined("concat", {{2, 3}, {-1, 1}}, -1).shape(), (Shape{2, 4}));
  EXPECT_EQ(joined("concat", {{2, 3}, {-1, 3}}, 0).shape(), (Shape{-1, 3}));
}

TEST(ConcatTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(joined("concat", {}, 0).error(), HasSubstr("x is empty; give at least one value"));
  EXPECT_THAT(joined("concat", {{2, 3}, {2, 4}}, 0).error(),
              HasSubstr("x 1 is [2, 4] and x 0 is [2, 3]; they may differ along axis 0 only"));
  EXPECT_THAT(joined("concat", {{2, 3}, {2}}, 0).error(), HasSubstr("x 1 is [2]"));
  EXPECT_THAT(joined("concat", {{2}}, 1).error(), HasSubstr("axis is 1; give one in [-1, 1)"));
  EXPECT_THAT(joined("concat", {{}}, 0).error(), HasSubstr("a value of rank 0 has no axis"));
  EXPECT_THAT(infer("concat").input("x", {2}).input("x", {2}, kInt8).error(),
              HasSubstr("x 1 is int8 and x 0 is float32; all need one dtype"));
}

TEST(ConcatTest, ItsGradientIsTakenApart) {
  const auto probe = gradient_of("concat").with("x", {2, 3}).with("x", {4, 3}).unwanted("x").run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = concat_grad(out_grad: d_out, x: x, x: x1)"));
  EXPECT_EQ(probe.grad("x", 0), "none");
  EXPECT_EQ(probe.grad("x", 1), "%0.1");
}

TEST(ConcatTest, TheGradientOfItsGradientFillsWhatIsMissing) {
  const auto probe = gradient_of("concat_grad")
                         .with("out_grad", {6, 3})
                         .with("x", {2, 3})
                         .with("x", {4, 3})
                         .no_output_grad("x_grad1")
                         .run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = full_like(x: x_grad1)", "%1 = concat(x: d_x_grad, x: %0)"));
}

TEST(StackTest, AddsAnAxis) {
  EXPECT_EQ(joined("stack", {{2, 3}, {2, -1}}, 0).shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(joined("stack", {{2, 3}, {2, 3}, {2, 3}}, -1).shape(), (Shape{2, 3, 3}));
  EXPECT_EQ(joined("stack", {{}, {}}, 0).shape(), (Shape{2}));
  EXPECT_THAT(joined("stack", {{2, 3}, {2, 4}}, 0).error(), HasSubstr("may differ in nothing"));
  EXPECT_THAT(joined("stack", {{2}}, 2).error(), HasSubstr("give one in [-2, 2)"));
  EXPECT_THAT(joined("stack", {{1, 1, 1, 1, 1, 1, 1, 1}}, 0).error(), HasSubstr("8 dimensions"));
}

TEST(StackTest, ItsGradientIsUnstacked) {
  const auto probe =
      gradient_of("stack").with("x", {2}).with("x", {2}).attr("axis", std::int64_t{1}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = unstack(x: d_out, axis: 1)"));
  EXPECT_EQ(probe.grad("x", 1), "%0.1");
}

TEST(UnstackTest, RemovesAnAxis) {
  EXPECT_THAT(shapes_of(joined("unstack", {{2, 3}}, 1)), ElementsAre(Shape{2}, Shape{2}, Shape{2}));
  EXPECT_THAT(joined("unstack", {{2, -1}}, 1).error(),
              HasSubstr("gives the number of results; it must be known"));
  EXPECT_THAT(joined("unstack", {{0}}, 0).error(), HasSubstr("in [1, 65536]"));
}

TEST(UnstackTest, ItsGradientIsStacked) {
  const auto probe = gradient_of("unstack").with("x", {2, 3}).no_output_grad("out").run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = full_like(x: out)", "%1 = stack(x: %0, x: d_out1)"));
}

TEST(SplitTest, CutsInEqualOrGivenParts) {
  EXPECT_THAT(shapes_of(split_by({6, 2}, 3, {})),
              ElementsAre(Shape{2, 2}, Shape{2, 2}, Shape{2, 2}));
  EXPECT_THAT(shapes_of(split_by({6}, 0, {1, -1, 2})), ElementsAre(Shape{1}, Shape{3}, Shape{2}));
  EXPECT_THAT(shapes_of(split_by({-1}, 2, {})), ElementsAre(Shape{-1}, Shape{-1}));
  EXPECT_THAT(shapes_of(split_by({-1}, 0, {2, -1})), ElementsAre(Shape{2}, Shape{-1}));
}

TEST(SplitTest, RefusesPartsThatDoNotAddUp) {
  EXPECT_THAT(split_by({5}, 2, {}).error(),
              HasSubstr("an extent of 5 cannot be split into 2 equal parts; give sections"));
  EXPECT_THAT(split_by({5}, 0, {2, 2}).error(), HasSubstr("do not add up to 5"));
  EXPECT_THAT(split_by({5}, 0, {4, 2, -1}).error(), HasSubstr("do not add up to 5"));
  EXPECT_THAT(split_by({5}, 0, {-1, -1}).error(), HasSubstr("more than one -1"));
  EXPECT_THAT(split_by({5}, 0, {-2}).error(), HasSubstr("sections [-2] has -2"));
  EXPECT_THAT(split_by({5}, 0, {}).error(), HasSubstr("give either num or sections"));
  EXPECT_THAT(split_by({5}, 1, {5}).error(), HasSubstr("give either num or sections"));
  EXPECT_THAT(split_by({5}, -1, {}).error(), HasSubstr("num is -1; give one in [1, 65536]"));
  EXPECT_THAT(split_by({5}, 0, {1L << 62, 1L << 62}).error(), HasSubstr("63 bits"));
}

TEST(SplitTest, TakesAsManySectionsAsEqualParts) {
  EXPECT_EQ(split_by({65536}, 0, Integers(65536, 1)).types().size(), 65536U);
  EXPECT_EQ(split_by({65536}, 65536, {}).types().size(), 65536U);
  EXPECT_THAT(split_by({65537}, 0, Integers(65537, 1)).error(),
              HasSubstr("there are 65537 sections; give at most 65536"));
  EXPECT_THAT(split_by({65537}, 65537, {}).error(), HasSubstr("num is 65537; give one in"));
}

TEST(SplitTest, ItsGradientIsJoined) {
  const auto probe = gradient_of("split")
                         .with("x", {2, 4})
                         .attr("num", std::int64_t{2})
                         .attr("axis", std::int64_t{1})
                         .run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = concat(x: d_out, x: d_out1, axis: 1)"));
}

}  // namespace
}  // namespace loci::ops
