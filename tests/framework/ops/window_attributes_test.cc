#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using test_support::InferProbe;
using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

InferProbe pooling() { return infer("pool2d").input("x", {1, 1, 8, 8}); }

TEST(WindowAttributesTest, RefusesListsOfAnotherLength) {
  EXPECT_THAT(pooling().attr("strides", Integers{1}).error(),
              HasSubstr("strides [1] has 1 values; give [height, width]"));
  EXPECT_THAT(pooling().attr("ksize", Integers{1, 2, 3}).error(),
              HasSubstr("ksize [1, 2, 3] has 3"));
  EXPECT_THAT(pooling().attr("paddings", Integers{1, 1, 1}).error(),
              HasSubstr("paddings [1, 1, 1] has 3 values; give [height, width] or [top, bottom"));
}

TEST(WindowAttributesTest, RefusesValuesOutOfRange) {
  EXPECT_THAT(pooling().attr("strides", Integers{1, 0}).error(),
              HasSubstr("strides [1, 0] has 0; give values in [1, 2147483647]"));
  EXPECT_THAT(pooling().attr("paddings", Integers{-1, 0}).error(), HasSubstr("has -1"));
  EXPECT_THAT(pooling().attr("ksize", Integers{1L << 40, 1}).error(), HasSubstr("1099511627776"));
  EXPECT_THAT(infer("conv2d")
                  .input("x", {1, 1, 8, 8})
                  .input("filter", {1, 1, 3, 3})
                  .attr("dilations", Integers{0, 1})
                  .error(),
              HasSubstr("dilations [0, 1] has 0"));
}

TEST(WindowAttributesTest, RefusesAnUnknownAlgorithm) {
  EXPECT_THAT(pooling().attr("padding_algorithm", std::string("FULL")).error(),
              HasSubstr("padding_algorithm is \"FULL\"; give \"EXPLICIT\", \"SAME\" or \"VALID\""));
}

TEST(WindowAttributesTest, RefusesAWindowThatDoesNotFit) {
  EXPECT_THAT(pooling().attr("ksize", Integers{3, 9}).error(),
              HasSubstr("no window fits: along the width a window spans 9, the input has 8"));
}

TEST(WindowAttributesTest, RefusesAHugeImage) {
  EXPECT_THAT(infer("pool2d").input("x", {1, 1, 1L << 40, 8}).error(),
              HasSubstr("the height 1099511627776 is too large"));
}

}  // namespace
}  // namespace loci::ops
