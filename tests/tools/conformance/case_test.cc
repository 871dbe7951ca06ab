#include "tools/conformance/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <stdexcept>

namespace loci::conformance {
namespace {

Case sample() {
  return {.op = "relu",
          .variant = "odd",
          .inputs = {{kFloat16, {2, 3}, uniform(-1, 1)}, {kInt64, {}, integers(3, 5)}}};
}

TEST(Case, NamesOpDtypeShapesAndVariant) {
  Suite suite;
  suite.begin_family("unary");
  suite.add(sample());
  EXPECT_EQ(suite.cases()[0].name(), "unary/relu/float16/[2, 3],[]/odd");
}

TEST(Case, InputsAreTheSameEveryTimeAndValuesOfTheirDtype) {
  const Arrays first = sample().make_inputs();
  EXPECT_EQ(first[0].values, sample().make_inputs()[0].values);
  for (const Real value : first[0].values) EXPECT_EQ(value, round_to(kFloat16, value));
  EXPECT_GE(first[1].values[0], 3);
  EXPECT_LE(first[1].values[0], 5);
}

TEST(Case, DistinctValuesAreApartAndNotZero) {
  Bits bits(1);
  std::vector<Real> values = distinct(0.25L)(101, bits);
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_GE(std::abs(values[i]), 0.125L);
    if (i == 0) continue;
    EXPECT_EQ(values[i] - values[i - 1], 0.25L);
  }
}

TEST(Suite, RefusesTwoCasesOfOneName) {
  Suite suite;
  suite.add(sample());
  EXPECT_THROW(suite.add(sample()), std::logic_error);
}

TEST(Suite, FiltersByRegularExpression) {
  Suite suite;
  suite.begin_family("unary");
  suite.add(sample());
  EXPECT_EQ(suite.filtered("^unary/.*float16").cases().size(), 1U);
  EXPECT_TRUE(suite.filtered("^relu").cases().empty());
  EXPECT_THROW((void)suite.filtered("("), std::regex_error);
}

TEST(AllCases, CoverEveryOpOfThePublicInterface) {
  const Suite suite = all_cases();
  std::set<std::string> ops;
  for (const Case& one : suite.cases()) ops.insert(one.op);
  EXPECT_THAT(ops, ::testing::IsSupersetOf({"fill_constant",
                                            "uniform_random",
                                            "gaussian_random",
                                            "assign",
                                            "cast",
                                            "elementwise_add",
                                            "elementwise_sub",
                                            "elementwise_mul",
                                            "elementwise_div",
                                            "scale",
                                            "relu",
                                            "matmul",
                                            "mul",
                                            "conv2d",
                                            "pool2d",
                                            "reshape",
                                            "flatten",
                                            "softmax",
                                            "cross_entropy",
                                            "softmax_with_cross_entropy",
                                            "mean",
                                            "reduce_sum",
                                            "reduce_mean",
                                            "argmax",
                                            "accuracy",
                                            "sgd"}));
}

}  // namespace
}  // namespace loci::conformance
