#include "tools/conformance/gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace loci::conformance {
namespace {

using ::testing::HasSubstr;

// out = x^3, weighted.
Case cube(DType dtype) {
  return {.op = "cube", .inputs = {{dtype, {3}, nullptr}}, .reference = [dtype](const Arrays& in) {
            Expected out = Expected::bounded(dtype, {3});
            for (std::size_t i = 0; i < 3; ++i) out.values[i] = std::pow(in[0].values[i], 3);
            return std::vector{out};
          }};
}

class CheckGradient : public ::testing::TestWithParam<DType> {
 protected:
  Verdict check(std::vector<Real> gradient) const {
    const Case subject = cube(GetParam());
    const Arrays inputs{{GetParam(), {3}, {0.5L, -1, 2}}};
    const Arrays weights{{GetParam(), {3}, {1, 2, 0.5L}}};
    return check_gradient({&subject, &inputs, &weights}, 0, {GetParam(), {3}, std::move(gradient)});
  }
};

TEST_P(CheckGradient, AcceptsTheDerivative) { EXPECT_TRUE(check({0.75L, 6, 6}).good()); }

TEST_P(CheckGradient, NamesTheElementThatIsWrong) {
  const Verdict verdict = check({0.75L, 6.0001L, 6});
  EXPECT_THAT(verdict.message, HasSubstr("input 0"));
  EXPECT_THAT(verdict.message, HasSubstr("element 1 at [1]: got 6.0001"));
  EXPECT_THAT(verdict.message,
              ::testing::ContainsRegex("central differences give (6|5\\.999999|6\\.000000)"));
}

TEST_P(CheckGradient, LooksAtAsManyElementsAsAsked) {
  const Case subject = cube(GetParam());
  const Arrays inputs{{GetParam(), {3}, {0.5L, -1, 2}}};
  const Arrays weights{{GetParam(), {3}, {1, 2, 0.5L}}};
  const Array last_is_wrong{GetParam(), {3}, {0.75L, 6, 7}};
  EXPECT_FALSE(check_gradient({&subject, &inputs, &weights, 3}, 0, last_is_wrong).good());
  EXPECT_TRUE(check_gradient({&subject, &inputs, &weights, 1}, 0, last_is_wrong).good());
}

TEST_P(CheckGradient, RefusesNotANumber) { EXPECT_FALSE(check({0.75L, 6, std::nanl("")}).good()); }

INSTANTIATE_TEST_SUITE_P(Dtypes, CheckGradient, ::testing::Values(kFloat32, kFloat64),
                         [](const auto& test) { return std::string(dtype_name(test.param)); });

TEST(CheckGradientShape, HasToBeThatOfTheInput) {
  const Case subject = cube(kFloat32);
  const Arrays inputs{{kFloat32, {3}}};
  const Arrays weights{{kFloat32, {3}}};
  const Verdict verdict = check_gradient({&subject, &inputs, &weights}, 0, {kFloat32, {1, 3}});
  EXPECT_EQ(verdict.message, "the gradient of input 0 is float32[1, 3], want float32[3]");
}

}  // namespace
}  // namespace loci::conformance
