#include "framework/capture/captured_step.h"

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class CapturedStepTest : public GraphTest {
 protected:
  // Warmed up and captured for inputs of that form.
  CapturedStep& captured(const TensorFunction& fn, const Tensors& inputs) {
    step_ = std::make_unique<CapturedStep>(form_of(inputs, &place_), options_);
    while (!step_->is_warm()) (void)step_->call_plainly(fn, inputs);
    EXPECT_EQ(step_->state(), CaptureState::kWarmingUp);
    is_captured_ = step_->capture(fn, inputs, GraphMemory::make());
    return *step_;
  }
  [[nodiscard]] std::string reason() const { return step_->report().reason; }
  static Tensors replayed(CapturedStep& step, const Tensors& inputs) {
    Tensors results;
    EXPECT_TRUE(step.replay(inputs, nullptr, &results));
    return results;
  }

  Place place_ = place();
  CaptureOptions options_;
  bool is_captured_ = false;
  std::unique_ptr<CapturedStep> step_;
};
LOCI_GRAPH_PLACES(CapturedStepTest);

TEST_P(CapturedStepTest, ReadsTheInputsOfEachCall) {
  int calls = 0;
  CapturedStep& step = captured(
      [&](const Tensors& in) {
        ++calls;
        return Tensors{in[0] * in[1], in[0] + 1.0};
      },
      {vector({1, 2}), vector({3, 4})});
  ASSERT_TRUE(is_captured_) << reason();
  const Tensors first = replayed(step, {vector({5, 6}), vector({2, 2})});
  const Tensors second = replayed(step, {vector({7, 8}), vector({3, 3})});
  EXPECT_THAT(floats(first[0]), ElementsAre(10, 12)) << "results have memory of their own";
  EXPECT_THAT(floats(second[0]), ElementsAre(21, 24));
  EXPECT_THAT(floats(second[1]), ElementsAre(8, 9));
  EXPECT_EQ(calls, 2) << "warm-up and capture";
  EXPECT_EQ(step.report().replays, 2U);
  EXPECT_EQ(step.report().captures, 1U);
  EXPECT_EQ(step.report().input_bytes, 16U);
  EXPECT_GT(step.report().peak_bytes, 0U);
}

TEST_P(CapturedStepTest, MayGiveTheGraphsOwnResults) {
  options_.copies_results = false;
  CapturedStep& step =
      captured([](const Tensors& in) { return Tensors{in[0] + in[0]}; }, {vector({1})});
  const Tensors first = replayed(step, {vector({2})});
  EXPECT_THAT(floats(first[0]), ElementsAre(4));
  const Tensors second = replayed(step, {vector({5})});
  EXPECT_THAT(floats(first[0]), ElementsAre(10)) << "the same memory";
}

TEST_P(CapturedStepTest, AFunctionThatChangesAnInputIsPlain) {
  const Tensor x = vector({1, 2});
  CapturedStep& step = captured(
      [](const Tensors& in) {
        in[0].add_(in[0]);
        return Tensors{in[0] * 1.0};
      },
      {x});
  EXPECT_FALSE(is_captured_);
  EXPECT_EQ(step.state(), CaptureState::kPlain);
  EXPECT_THAT(reason(), HasSubstr("it changes its input 0 in place"));
  EXPECT_THAT(floats(x), ElementsAre(2, 4)) << "once, by the warm-up";
}

TEST_P(CapturedStepTest, AnInputThatTheFunctionChangesFromOutsideIsPlainToo) {
  const Tensor weight = vector({1, 2});
  captured(
      [&](const Tensors& in) {
        weight.add_(weight);
        return Tensors{in[0] * 1.0};
      },
      {weight});
  EXPECT_THAT(reason(), HasSubstr("it changes its input 0 in place"));
}

TEST_P(CapturedStepTest, OneThatLaterIsAnInputIsLeftToAPlainCall) {
  const Tensor weight = vector({1, 2});
  CapturedStep& step = captured(
      [&](const Tensors& in) {
        weight.add_(in[0]);
        return Tensors{in[0] * 1.0};
      },
      {vector({1, 1})});
  ASSERT_TRUE(is_captured_) << reason();
  Tensors results;
  EXPECT_FALSE(step.replay({weight}, nullptr, &results));
  EXPECT_THAT(floats(weight), ElementsAre(2, 3)) << "nothing was done";
}

TEST_P(CapturedStepTest, AResultThatAwaitsItsGradientIsPlain) {
  Tensor weight = vector({1, 2});
  weight.set_requires_grad();
  captured([&](const Tensors& in) { return Tensors{in[0] * weight}; }, {vector({1, 1})});
  EXPECT_THAT(reason(), HasSubstr("its result 0 requires a gradient, and a replay records none"));
}

TEST_P(CapturedStepTest, AResultWhoseGradientWasTakenIsCaptured) {
  Tensor weight = vector({1, 2});
  weight.set_requires_grad();
  const TensorFunction fn = [&](const Tensors& in) {
    weight.set_grad({});
    const Tensor loss = reduce_sum(in[0] * weight);
    loss.backward();
    return Tensors{loss};
  };
  CapturedStep& step = captured(fn, {vector({1, 1})});
  ASSERT_TRUE(is_captured_) << reason();
  EXPECT_THAT(floats(replayed(step, {vector({3, 4})})[0]), ElementsAre(11));
  EXPECT_THAT(floats(weight.grad()), ElementsAre(3, 4));
}

TEST_P(CapturedStepTest, AnInputWithAGradientIsPlain) {
  Tensor x = vector({1, 2});
  x.set_requires_grad();
  captured([&](const Tensors& in) { return Tensors{in[0] * 2.0}; }, {x});
  EXPECT_THAT(reason(), HasSubstr("its input 0 requires a gradient"));
}

TEST_P(CapturedStepTest, WhatCannotBeCapturedRunsPlainlyWithItsReason) {
  const TensorFunction fn = [](const Tensors& in) {
    const float total = reduce_sum(in[0]).item<float>();
    return Tensors{in[0] * static_cast<double>(total)};
  };
  CapturedStep& step = captured(fn, {vector({1, 2})});
  EXPECT_EQ(step.state(), CaptureState::kPlain);
  EXPECT_THAT(reason(), HasSubstr("item() reads the elements of"));
  EXPECT_THAT(floats(step.call_plainly(fn, {vector({2, 3})})[0]), ElementsAre(10, 15));
  EXPECT_THAT(floats(vector({1, 2}) + 1.0), ElementsAre(2, 3)) << "nothing is left of it";
}

TEST_P(CapturedStepTest, AnInputThatDecidesOnTheHostIsPlain) {
  captured(
      [](const Tensors& in) {
        return Tensors{in[0].item<float>() > 0 ? in[0] * 2.0 : in[0] - 1.0};
      },
      {vector({1})});
  EXPECT_FALSE(is_captured_);
  // A device is waited for, the host is not.
  EXPECT_THAT(reason(), HasSubstr(place().is_host() ? "is read on the host by [item()]"
                                                    : "the host waits for a copy"));
}

TEST_P(CapturedStepTest, ATensorThatIsGoneIsNoticed) {
  Tensor scale = vector({2, 2});
  const TensorFunction fn = [&](const Tensors& in) { return Tensors{in[0] * scale}; };
  CapturedStep& step = captured(fn, {vector({1, 2})});
  ASSERT_TRUE(is_captured_) << reason();
  scale = vector({5, 5});
  synchronize();  // work that is under way has the old one, too
  Tensors results;
  EXPECT_FALSE(step.replay({vector({1, 2})}, nullptr, &results));
  EXPECT_TRUE(step.is_warm()) << "and captured anew";
  EXPECT_THAT(reason(), HasSubstr("[replay]"));
  ASSERT_TRUE(step.capture(fn, {vector({1, 2})}, GraphMemory::make()));
  EXPECT_THAT(floats(replayed(step, {vector({3, 4})})[0]), ElementsAre(15, 20));
}

TEST_P(CapturedStepTest, StepsWhoseTensorsAlwaysChangeAreGivenUp) {
  Tensor scale = vector({2});
  const TensorFunction fn = [&](const Tensors& in) { return Tensors{in[0] * scale}; };
  CapturedStep& step = captured(fn, {vector({1})});
  int captures = 1;
  while (step.state() != CaptureState::kPlain && captures < 100) {
    scale = vector({3});
    synchronize();  // work that is under way has the old one, too
    Tensors results;
    EXPECT_FALSE(step.replay({vector({1})}, nullptr, &results));
    if (!step.is_warm()) break;
    ASSERT_TRUE(step.capture(fn, {vector({1})}, GraphMemory::make()));
    ++captures;
  }
  EXPECT_EQ(captures, 8);
  EXPECT_THAT(reason(), HasSubstr("it has been captured 8 times"));
}

TEST_P(CapturedStepTest, AFunctionThatDoesNothingIsPlain) {
  captured([](const Tensors& in) { return in; }, {vector({1})});
  EXPECT_THAT(reason(), HasSubstr("nothing to do"));
}

TEST_P(CapturedStepTest, WhatTheFunctionThrowsComesThrough) {
  bool fails = false;
  const TensorFunction fn = [&](const Tensors& in) {
    const Tensor y = in[0] + in[0];
    if (fails) throw std::runtime_error("the user's own");
    return Tensors{y};
  };
  CapturedStep step(form_of({vector({1})}, &place_), options_);
  (void)step.call_plainly(fn, {vector({1})});
  fails = true;
  EXPECT_THAT([&] { (void)step.capture(fn, {vector({1})}, GraphMemory::make()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("the user's own")));
  fails = false;
  EXPECT_TRUE(step.capture(fn, {vector({1})}, GraphMemory::make()));
  EXPECT_THAT(floats(replayed(step, {vector({4})})[0]), ElementsAre(8));
}

TEST_P(CapturedStepTest, RowsAreFilledUpWithZerosAndCutOff) {
  options_.buckets = {4};
  options_.rows_are_independent = true;
  CallForm form = form_of({vector({1})}, &place_);
  form.inputs[0].shape = {4};
  CapturedStep step(form, options_);
  const TensorFunction fn = [](const Tensors& in) {
    EXPECT_EQ(in[0].shape(), Shape({4}));
    return Tensors{in[0] + 1.0};
  };
  EXPECT_THAT(floats(step.call_plainly(fn, {vector({1, 2, 3})})[0]), ElementsAre(2, 3, 4));
  ASSERT_TRUE(step.capture(fn, {vector({1, 2, 3})}, GraphMemory::make()));
  EXPECT_THAT(floats(replayed(step, {vector({5, 6, 7, 8})})[0]), ElementsAre(6, 7, 8, 9));
  EXPECT_THAT(floats(replayed(step, {vector({9})})[0]), ElementsAre(10));
}

TEST_P(CapturedStepTest, FewerRowsThanBeforeLeaveNothingOfThose) {
  options_.buckets = {4};
  options_.rows_are_independent = true;
  options_.copies_results = false;
  CallForm form = form_of({vector({1})}, &place_);
  form.inputs[0].shape = {4};
  CapturedStep step(form, options_);
  Tensor all;
  const TensorFunction fn = [&](const Tensors& in) {
    all = in[0] + 0.0;
    return Tensors{all};
  };
  (void)step.call_plainly(fn, {vector({1, 2, 3})});
  ASSERT_TRUE(step.capture(fn, {vector({1, 2, 3})}, GraphMemory::make()));
  (void)replayed(step, {vector({5, 6, 7, 8})});
  (void)replayed(step, {vector({9})});
  EXPECT_THAT(floats(all), ElementsAre(9, 0, 0, 0));
}

TEST_P(CapturedStepTest, AResultWithoutARowForEachIsRefused) {
  options_.buckets = {4};
  options_.rows_are_independent = true;
  CallForm form = form_of({vector({1})}, &place_);
  form.inputs[0].shape = {4};
  CapturedStep step(form, options_);
  EXPECT_THAT(
      [&] {
        (void)step.call_plainly([](const Tensors& in) { return Tensors{reduce_mean(in[0])}; },
                                {vector({1, 2, 3})});
      },
      ThrowsMessage<Error>(HasSubstr("result 0 is [], and the inputs have 4 rows")));
}

}  // namespace
}  // namespace loci::capture
