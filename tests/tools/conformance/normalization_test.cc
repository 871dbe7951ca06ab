#include "tools/conformance/normalization.h"

#include <gtest/gtest.h>

namespace loci::conformance {
namespace {

TEST(MomentsOf, DividesByTheCount) {
  const GroupMoments moments = moments_of({1, 3, 5, 7});
  EXPECT_EQ(moments.mean, 4);
  EXPECT_EQ(moments.variance, 5);
  EXPECT_EQ(moments.mean_error, 16);
}

TEST(MomentsOf, NothingHasNone) {
  EXPECT_EQ(moments_of({}).mean, 0);
  EXPECT_EQ(moments_of({}).variance, 0);
}

TEST(InverseDeviationOf, AddsEpsilonToTheVariance) {
  EXPECT_EQ(inverse_deviation({0, 0, 3, 0}, 1).value, 0.5L);
  // Half of the relative error of the sum of 4, and four roundings.
  EXPECT_EQ(inverse_deviation({0, 0, 3, 8}, 1).error, 0.5L * (1 + 4));
}

TEST(NormalizedElementOf, ScalesAndMoves) {
  const NormalizedElement element = normalized_element(7, {4, 0, 0, 0}, {0.5L, 0}, 2, 10);
  EXPECT_EQ(element.value, 13);
  EXPECT_GT(element.error, 0);
}

GroupInputs group() { return {{1, 2, 6}, {1, -1, 2}, {2, 2, 2}, 3, 0.5L, false}; }

// Adding a constant to all elements, or stretching them around the mean, changes no result: so the
// gradient is orthogonal to both, if mean and deviation are those of the elements.
TEST(GroupGradientOf, HasNoShiftAndNoStretch) {
  GroupInputs inputs{{-1, 1, -1, 1}, {3, 1, 4, 1}, {1, 1, 1, 1}, 0, 1, false};
  const GroupGradient gradient = group_gradient(inputs);
  Real shift = 0;
  Real stretch = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    shift += gradient.x_grad[i];
    stretch += gradient.x_grad[i] * inputs.x[i];
  }
  EXPECT_EQ(shift, 0);
  EXPECT_EQ(stretch, 0);
  EXPECT_EQ(gradient.x_grad[0], -0.5L);
}

TEST(GroupGradientOf, FixedStatisticsOnlyScale) {
  GroupInputs inputs = group();
  inputs.fixed = true;
  EXPECT_EQ(group_gradient(inputs).x_grad, (std::vector<Real>{1, -1, 2}));
}

TEST(GroupGradientOf, TermsOfTheScaleUseTheGradientOfTheResult) {
  EXPECT_EQ(group_gradient(group()).scale_terms, (std::vector<Real>{-1, 0.5L, 3}));
}

}  // namespace
}  // namespace loci::conformance
