#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

test_support::InferProbe transposed(const Shape& x, const Integers& perm) {
  return infer("transpose").input("x", x).attr("perm", perm);
}

TEST(TransposeTest, ReordersTheExtents) {
  EXPECT_EQ(transposed({2, -1, 4}, {2, 0, 1}).shape(), (Shape{4, 2, -1}));
  EXPECT_EQ(transposed({2, 3}, {-1, 0}).shape(), (Shape{3, 2}));
  EXPECT_EQ(transposed({}, {}).shape(), Shape{});
}

TEST(TransposeTest, RefusesWhatIsNoPermutation) {
  EXPECT_THAT(transposed({2, 3}, {0}).error(),
              HasSubstr("perm [0] names 1 of the 2 dimensions of x; name each once"));
  EXPECT_THAT(transposed({2, 3}, {0, 0}).error(), HasSubstr("perm [0, 0] names a dimension twice"));
  EXPECT_THAT(transposed({2, 3}, {0, 2}).error(), HasSubstr("give axes in [-2, 2)"));
}

TEST(TransposeTest, ItsGradientGoesBack) {
  const auto probe =
      gradient_of("transpose").with("x", {2, 3, 4}).attr("perm", Integers{-1, 0, 1}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = transpose(x: d_out, perm: [1, 2, 0])"));
  EXPECT_EQ(probe.grad("x"), "%0");
}

}  // namespace
}  // namespace loci::ops
