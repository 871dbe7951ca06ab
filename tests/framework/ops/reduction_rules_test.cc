#include "framework/ops/reduction_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using test_support::InferProbe;
using ::testing::HasSubstr;

InferProbe reduced(const Shape& x, const Axes& axes, bool keep_dim = false) {
  return infer("reduce_sum").input("x", x).attr("axes", axes).attr("keep_dim", keep_dim);
}

TEST(ReductionRulesTest, DropsOrKeepsDimensions) {
  EXPECT_EQ(reduced({2, -1, 4}, {0}).shape(), (Shape{-1, 4}));
  EXPECT_EQ(reduced({2, -1, 4}, {-1, 0}).shape(), (Shape{-1}));
  EXPECT_EQ(reduced({2, -1, 4}, {1}, true).shape(), (Shape{2, 1, 4}));
  EXPECT_EQ(reduced({2, -1, 4}, {}).shape(), (Shape{}));
  EXPECT_EQ(reduced({2, -1, 4}, {}, true).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(reduced({}, {}).shape(), (Shape{}));
}

TEST(ReductionRulesTest, RefusesBadAxes) {
  EXPECT_THAT(reduced({2, 3}, {2}).error(), HasSubstr("axes [2] has 2; give axes in [-2, 2)"));
  EXPECT_THAT(reduced({2, 3}, {1, -1}).error(), HasSubstr("axes [1, -1] names a dimension twice"));
  EXPECT_THAT(reduced({}, {0}).error(), HasSubstr("axes [0] names a dimension, but there is none"));
}

}  // namespace
}  // namespace loci::ops
