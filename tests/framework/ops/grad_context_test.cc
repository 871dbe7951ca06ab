#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/ops.hpp>

#include "framework/ops/grad_context.h"
#include "tests/support/recording_emitter.h"

namespace loci::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(GradContextTest, ACallGoesToTheEmitterOfItsInputs) {
  test_support::RecordingEmitter emitter;
  const Value x = emitter.add("x", {kFloat32, {2}});
  const Value y = relu(elementwise_add(x, x));
  EXPECT_THAT(emitter.calls(), ElementsAre("%0 = elementwise_add(x: x, y: x)", "%1 = relu(x: %0)"));
  EXPECT_EQ(GradContext::type(y), (TensorType{kFloat32, {2}}));
}

TEST(GradContextTest, AnEmptyOptionalSlotIsPassedOver) {
  test_support::RecordingEmitter emitter;
  const Value x = emitter.add("x", {kFloat32, {1, 1, 4, 4}});
  const Value filter = emitter.add("w", {kFloat32, {1, 1, 3, 3}});
  (void)conv2d(x, filter);
  EXPECT_THAT(emitter.calls(), ElementsAre("%0 = conv2d(x: x, filter: w)"));
}

TEST(GradContextTest, ACallWithoutInputsHasNoEmitter) {
  EXPECT_THAT(
      [] { (void)OpCall<Value>("fill_constant").result(); },
      ThrowsMessage<Error>(HasSubstr("[fill_constant] a gradient calls it without inputs")));
}

}  // namespace
}  // namespace loci::ops
