#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "framework/ops/gradient_rules.h"
#include "tests/support/gradient_probe.h"
#include "tests/support/recording_emitter.h"

namespace loci::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class GradientRulesTest : public ::testing::Test {
 protected:
  Value value(const char* name, const Shape& shape) {
    return emitter_.add(name, {kFloat32, shape});
  }

  test_support::RecordingEmitter emitter_;
};

TEST_F(GradientRulesTest, NothingIsSummedWhereNothingWasRepeated) {
  const Value grad = value("g", {-1, 3});
  EXPECT_EQ(undo_broadcast(grad, value("x", {-1, 3}), {3}).id, grad.id);
  EXPECT_THAT(emitter_.calls(), IsEmpty());
}

TEST_F(GradientRulesTest, SumsWhatMayHaveBeenRepeated) {
  (void)undo_broadcast(value("g", {-1, 3}), value("x", {3}), {-1, 3});
  EXPECT_THAT(emitter_.calls(), ElementsAre("%0 = reduce_sum_like(x: g, like: x)"));
}

TEST_F(GradientRulesTest, RepeatsByExpanding) {
  const Value result = broadcast_like(value("x", {3}), value("like", {-1, 3}));
  EXPECT_THAT(emitter_.calls(), ElementsAre("%0 = expand_like(x: x, like: like)"));
  EXPECT_EQ(GradContext::type(result).shape, (Shape{-1, 3}));
}

TEST_F(GradientRulesTest, MakesConstants) {
  const Value like = emitter_.add("like", {kFloat16, {-1, 3}});
  EXPECT_EQ(GradContext::type(constant_like(like, 1.5)), (TensorType{kFloat16, {}}));
  EXPECT_THAT(emitter_.calls(), ElementsAre("%0 = fill_constant(dtype: float16, value: 1.5)"));
}

TEST_F(GradientRulesTest, BacksThroughSoftmax) {
  const Value result = softmax_backward(value("y", {2, 3}), value("dy", {2, 3}), 1);
  EXPECT_THAT(emitter_.calls(), ElementsAre("%0 = elementwise_mul(x: y, y: dy)",
                                            "%1 = reduce_sum(x: %0, axes: [1], keep_dim: true)",
                                            "%2 = elementwise_mul(x: y, y: %1)",
                                            "%3 = elementwise_sub(x: %0, y: %2)"));
  EXPECT_EQ(emitter_.name(result), "%3");
}

TEST_F(GradientRulesTest, AnUnsupportedGradientSaysSo) {
  test_support::GradientProbe probe("relu");
  const GradientFn gradient = unsupported_gradient("median", "use mean");
  EXPECT_THAT([&] { gradient(probe); },
              ThrowsMessage<Error>(HasSubstr("[median] its gradient is not supported: use mean")));
}

TEST_F(GradientRulesTest, ASumWithNothingIsTheOther) {
  const Value x = value("x", {2});
  EXPECT_EQ(sum_of({}, x).id, x.id);
  (void)sum_of(x, x);
  EXPECT_THAT(emitter_.calls(), ElementsAre("%0 = elementwise_add(x: x, y: x)"));
}

}  // namespace
}  // namespace loci::ops
