#include "framework/ops/scatter_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::GradientProbe;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

GradientProbe scattering_by(const std::string& reduction) {
  GradientProbe probe = gradient_of("scatter_elements");
  probe.with("x", {5, 3}).with("index", {4, 3}, kInt64).with("updates", {4, 3});
  if (reduction != "none") probe.attr("reduction", reduction);
  return probe;
}

TEST(ScatterRulesTest, WhatIsAddedHasTheGradientOfTheSum) {
  const auto probe = scattering_by("add").run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = gather_elements(x: d_out, index: index)"));
  EXPECT_EQ(probe.grad("x"), "d_out");
  EXPECT_EQ(probe.grad("updates"), "%0");
}

TEST(ScatterRulesTest, OfProductsXAloneHasAGradient) {
  const auto probe = scattering_by("mul").unwanted("updates").run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = full_like(x: x, value: 1)",
                                         "%1 = scatter_elements(x: %0, index: index, updates: "
                                         "updates, reduction: \"mul\")",
                                         HasSubstr("%2 = elementwise_mul(")));
  EXPECT_EQ(probe.grad("x"), "%2");
  EXPECT_THAT([] { (void)scattering_by("mul").run(); },
              ThrowsMessage<Error>(HasSubstr("[scatter_elements] its gradient is not supported: "
                                             "with reduction mul")));
}

TEST(ScatterRulesTest, ExtremesShareTheGradient) {
  const auto probe = scattering_by("max").run();
  EXPECT_THAT(probe.calls(),
              ElementsAre(HasSubstr("equal(x: x, y: out)"), HasSubstr("cast("),
                          HasSubstr("gather_elements(x: out,"), HasSubstr("equal(x: updates, "),
                          HasSubstr("cast("), HasSubstr("reduction: \"add\""),
                          HasSubstr("elementwise_div(x: d_out,"), HasSubstr("elementwise_mul("),
                          HasSubstr("gather_elements("), HasSubstr("elementwise_mul(")));
}

TEST(ScatterRulesTest, ItsGradientUsesTheOpsOfThePlaces) {
  EXPECT_THAT(scatter_gradient_ops("take", "put"), Contains("put_grad"));
}

}  // namespace
}  // namespace loci::ops
