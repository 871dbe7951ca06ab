#include "tools/conformance/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace loci::conformance {
namespace {

using ::testing::HasSubstr;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

Expected expect(DType dtype, std::vector<Real> values, std::vector<Real> slack = {}) {
  Expected expected = Expected::exact(dtype, {static_cast<std::int64_t>(values.size())});
  expected.values = std::move(values);
  expected.slack = std::move(slack);
  return expected;
}

Array got(DType dtype, std::vector<Real> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return {dtype, {count}, std::move(values)};
}

TEST(Check, ExactMeansTheRoundedValueItself) {
  EXPECT_TRUE(check(got(kFloat32, {0.1F}), expect(kFloat32, {0.1L})).good());
  EXPECT_FALSE(check(got(kFloat32, {0.1F + 0x1p-27F}), expect(kFloat32, {0.1L})).good());
  EXPECT_TRUE(check(got(kInt8, {-1}), expect(kInt8, {255})).good());
}

TEST(Check, TellsWhichElementIsWrongAndByHowMuch) {
  Expected expected = Expected::bounded(kFloat32, {2, 3});
  expected.values = {1, 2, 3, 4, 5, 6};
  const Verdict verdict = check({kFloat32, {2, 3}, {1, 2, 3, 4, 5.5L, 7}}, expected);
  EXPECT_THAT(verdict.message, HasSubstr("float32[2, 3] element 4 at [1, 1]: got 5.5, want 5"));
  EXPECT_THAT(verdict.message, HasSubstr("bound"));
  EXPECT_THAT(verdict.message, HasSubstr("2 of 6 elements are wrong"));
}

TEST(Check, BoundsGrowWithSlackAndTheDtypesRoundoff) {
  const Real roundoff = 0x1p-24L;
  EXPECT_TRUE(check(got(kFloat32, {1 + 10 * roundoff}), expect(kFloat32, {1}, {10})).good());
  EXPECT_FALSE(check(got(kFloat32, {1 + 14 * roundoff}), expect(kFloat32, {1}, {10})).good());
  // Computed in float32, rounded once: half a unit of float16 more.
  EXPECT_TRUE(check(got(kFloat16, {1 + 0x1p-11L}), expect(kFloat16, {1}, {10})).good());
  EXPECT_FALSE(check(got(kFloat16, {1 + 0x1p-10L}), expect(kFloat16, {1}, {10})).good());
}

TEST(Check, NotANumberMatchesOnlyItself) {
  EXPECT_TRUE(check(got(kFloat32, {std::nanl("")}), expect(kFloat32, {std::nanl("")})).good());
  EXPECT_FALSE(check(got(kFloat32, {std::nanl("")}), expect(kFloat32, {1}, {1e9L})).good());
  EXPECT_FALSE(check(got(kFloat32, {1}), expect(kFloat32, {std::nanl("")}, {1e9L})).good());
}

TEST(Check, InfinityMatchesOnlyWhereTheValueMayOverflow) {
  EXPECT_TRUE(check(got(kFloat16, {kInfinity}), expect(kFloat16, {65520})).good());
  EXPECT_TRUE(check(got(kFloat16, {kInfinity}), expect(kFloat16, {65519.999L}, {65520})).good());
  EXPECT_FALSE(check(got(kFloat16, {kInfinity}), expect(kFloat16, {60000}, {60000})).good());
  EXPECT_FALSE(check(got(kFloat16, {-kInfinity}), expect(kFloat16, {kInfinity})).good());
}

TEST(Check, DtypeAndShapeHaveToMatch) {
  EXPECT_EQ(check(got(kFloat64, {1}), expect(kFloat32, {1})).message,
            "got float64[1], want float32[1]");
  EXPECT_FALSE(check(got(kFloat32, {1, 2}), expect(kFloat32, {1})).good());
}

TEST(Check, RemembersTheLargestShareOfABound) {
  const Real roundoff = 0x1p-24L;
  const Verdict verdict =
      check(got(kFloat32, {1, 1 + 5 * roundoff}), expect(kFloat32, {1, 1}, {9, 9}));
  EXPECT_NEAR(static_cast<double>(verdict.worst), 0.5, 0.01);
}

TEST(SameBits, TellsZerosApart) {
  const Tensor zero = Tensor::from<float>({0.0F}, {1});
  EXPECT_TRUE(same_bits(zero, Tensor::from<float>({0.0F}, {1})));
  EXPECT_FALSE(same_bits(zero, Tensor::from<float>({-0.0F}, {1})));
  EXPECT_FALSE(same_bits(zero, Tensor::from<float>({0.0F}, {})));
}

}  // namespace
}  // namespace loci::conformance
