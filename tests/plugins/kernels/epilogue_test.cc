#include "plugins/kernels/epilogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <loci/plugin/elementwise_functions.hpp>
#include <loci/plugin/error.hpp>
#include <vector>

namespace loci::kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> activated(const char* name, std::vector<float> values) {
  activate(sdk::read_activation(name), values.data(), static_cast<std::int64_t>(values.size()));
  return values;
}

TEST(EpilogueTest, KnowsTheActivationsOfFusedOps) {
  EXPECT_THAT(activated("none", {-1, 2}), ElementsAre(-1, 2));
  EXPECT_THAT(activated("relu", {-1, 2}), ElementsAre(0, 2));
  EXPECT_NEAR(activated("sigmoid", {1})[0], 0.731058F, 1e-6);
  EXPECT_NEAR(activated("tanh", {1})[0], 0.761594F, 1e-6);
  EXPECT_NEAR(activated("gelu", {1})[0], 0.841345F, 1e-6);
  EXPECT_NEAR(activated("gelu_tanh", {1})[0], 0.841192F, 1e-6);
  EXPECT_NEAR(activated("hard_sigmoid", {1})[0], 0.666667F, 1e-6);
  EXPECT_NEAR(activated("hard_swish", {1})[0], 0.666667F, 1e-6);
  EXPECT_THAT(activated("hard_swish", {-kInfinity, -3, 3, kInfinity}),
              ElementsAre(0, 0, 3, kInfinity));
}

TEST(EpilogueTest, RefusesOthersByName) {
  try {
    (void)sdk::read_activation("swish");
    FAIL();
  } catch (const sdk::Error& error) {
    EXPECT_EQ(error.code(), LOCI_CODE_UNSUPPORTED);
    EXPECT_THAT(error.what(), HasSubstr("no activation 'swish'"));
  }
}

TEST(EpilogueTest, KeepsWhatIsNoNumber) {
#define LOCI_NAME(op, Function) #op,
  for (const char* name : {LOCI_ACTIVATIONS(LOCI_NAME)}) {
#undef LOCI_NAME
    // The values are as many as a vector of any width holds.
    const std::vector<float> values = activated(name, std::vector<float>(16, std::nanf("")));
    for (const float value : values) EXPECT_TRUE(std::isnan(value)) << name;
  }
  EXPECT_THAT(activated("relu", {kInfinity, -kInfinity}), ElementsAre(kInfinity, 0));
}

// Only the part that is asked for, with what belongs to its rows and columns.
TEST(EpilogueTest, FinishesAPartOfAMatrix) {
  std::vector<float> out{0, 0, 0, 1, 2, 3, 4, 5, 6};
  const std::vector<float> bias{10, 20, 30};
  const std::vector<float> residual{1, 1, 1, 100, 200, 300, -400, -500, -600};
  const RowEpilogue epilogue{bias.data(), residual.data(), Activation::kRelu};
  finish_rows(epilogue, out.data(), 3, 1, 2, 1, 2);
  EXPECT_THAT(out, ElementsAre(0, 0, 0, 1, 222, 333, 4, 0, 0));
}

TEST(EpilogueTest, SaysWhenItDoesNothing) {
  EXPECT_TRUE(RowEpilogue().does_nothing());
  EXPECT_FALSE((RowEpilogue{nullptr, nullptr, Activation::kTanh}.does_nothing()));
}

}  // namespace
}  // namespace loci::kernels
