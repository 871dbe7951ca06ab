#include <loci/captured_function.hpp>

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class CapturedFunctionTest : public GraphTest {
 protected:
  [[nodiscard]] CaptureOptions here() const {
    CaptureOptions options;
    options.place = place();
    return options;
  }
  [[nodiscard]] Tensor ones(std::int64_t count, double value = 1) const {
    return full({count}, value, kFloat32).to(place());
  }
};
LOCI_GRAPH_PLACES(CapturedFunctionTest);

TEST_P(CapturedFunctionTest, WarmsUpCapturesAndReplays) {
  int calls = 0;
  CaptureOptions options = here();
  options.warm_up = 2;
  const CapturedFunction step(
      [&](const Tensors& in) {
        ++calls;
        return Tensors{relu(in[0] * in[0] - 2.0)};
      },
      options);
  for (int i = 0; i < 6; ++i) {
    EXPECT_THAT(floats(step({vector({static_cast<float>(i)})})[0]),
                ElementsAre(std::max(0, i * i - 2)));
  }
  EXPECT_EQ(calls, 3);
  const CaptureReport report = step.report();
  ASSERT_THAT(report.forms, SizeIs(1));
  EXPECT_EQ(report.forms[0].plain_calls, 2U);
  EXPECT_EQ(report.forms[0].replays, 4U);
  EXPECT_THAT(report.to_string(), HasSubstr("captured, 2 plain calls, 4 replays"));
}

// A step as users write it, with everything that a captured one has to see change.
struct Training {
  explicit Training(const Place& place) {
    weight = (full({3, 2}, 0.25, kFloat32)).to(place);
    weight.set_requires_grad();
  }
  Tensors step(const Tensors& in) {
    optimizer::Adam::zero_grad({weight});
    const Tensor y = dropout(matmul(in[0], weight), 0.5);
    const Tensor loss = reduce_mean(y * y);
    loss.backward();
    adam.step({weight});
    return {loss};
  }
  Tensor weight;
  optimizer::Adam adam{0.1};
};

TEST_P(CapturedFunctionTest, StepsAreThoseOfPlainCallsToTheBit) {
  const auto losses = [&](bool is_captured) {
    seed(5);
    auto training = std::make_shared<Training>(place());
    const TensorFunction fn = [training](const Tensors& in) { return training->step(in); };
    const CapturedFunction step(fn, here());
    std::vector<float> values;
    for (int i = 0; i < 12; ++i) {
      const Tensor x = (full({4, 3}, 0.1 * (i + 1), kFloat32)).to(place());
      values.push_back((is_captured ? step({x}) : fn({x}))[0].item<float>());
    }
    if (is_captured) {
      EXPECT_EQ(step.report().forms.at(0).replays, 11U) << step.report().to_string();
    }
    return values;
  };
  EXPECT_EQ(losses(true), losses(false));
}

TEST_P(CapturedFunctionTest, EachFormHasACaptureOfItsOwn) {
  const CapturedFunction twice([](const Tensors& in) { return Tensors{in[0] + in[0]}; }, here());
  for (int round = 0; round < 3; ++round) {
    for (std::int64_t count = 1; count <= 6; ++count) {
      EXPECT_EQ(floats(twice({ones(count, round)})[0]),
                std::vector<float>(static_cast<std::size_t>(count), 2.0F * round));
    }
  }
  const CaptureReport report = twice.report();
  ASSERT_THAT(report.forms, SizeIs(6));
  for (const CapturedForm& form : report.forms) {
    EXPECT_EQ(form.state, CaptureState::kCaptured);
    EXPECT_EQ(form.replays, 2U);
  }
}

TEST_P(CapturedFunctionTest, BucketsServeManyExtents) {
  CaptureOptions options = here();
  options.buckets = {2, 4, 8};
  options.rows_are_independent = true;
  std::vector<std::int64_t> captured;
  const CapturedFunction twice(
      [&](const Tensors& in) {
        captured.push_back(in[0].shape()[0]);
        return Tensors{in[0] * in[1]};
      },
      options);
  twice.prepare({ones(3), ones(3)});
  EXPECT_THAT(captured, ElementsAre(8, 8, 4, 4, 2, 2)) << "the largest first";
  for (std::int64_t rows = 1; rows <= 8; ++rows) {
    EXPECT_EQ(floats(twice({ones(rows, 3), ones(rows, 2)})[0]),
              std::vector<float>(static_cast<std::size_t>(rows), 6.0F));
  }
  EXPECT_THAT(captured, SizeIs(6));
  EXPECT_EQ(floats(twice({ones(9, 3), ones(9, 2)})[0]).size(), 9U);
  EXPECT_THAT(twice.report().forms.at(0).reason, HasSubstr("more rows than the largest bucket, 8"));
  EXPECT_THAT(
      [&] {
        (void)twice({ones(3), ones(2)});
      },
      ThrowsMessage<Error>(HasSubstr("input 1 is [2], and input 0 [3]")));
}

// A classifier of rows, and what it gives for so many of them.
struct Classifier {
  explicit Classifier(const Place& place) {
    std::vector<float> elements;
    for (int i = 0; i < 12; ++i) elements.push_back(static_cast<float>(i % 5) - 2.25F);
    weight = Tensor::from(elements, {3, 4}).to(place);
  }
  [[nodiscard]] Tensors operator()(const Tensors& in) const {
    return {softmax(relu(matmul(in[0], weight)) - 0.5)};
  }
  static Tensor batch(std::int64_t rows, const Place& place) {
    std::vector<float> elements;
    for (std::int64_t i = 0; i < rows * 3; ++i) elements.push_back(0.25F * static_cast<float>(i));
    return Tensor::from(elements, {rows, 3}).to(place);
  }
  Tensor weight;
};

TEST_P(CapturedFunctionTest, ProvenRowsAreFilledUp) {
  const Classifier classify(place());
  CaptureOptions options = here();
  options.buckets = {4, 8};
  std::vector<std::int64_t> called;
  const CapturedFunction step(
      [&](const Tensors& in) {
        called.push_back(in[0].shape()[0]);
        return classify(in);
      },
      options);
  for (int round = 0; round < 3; ++round) {
    for (std::int64_t rows = 1; rows <= 8; ++rows) {
      const Tensor batch = Classifier::batch(rows, place());
      const Tensor got = step({batch})[0];
      EXPECT_EQ(got.shape(), Shape({rows, 4}));
      EXPECT_THAT(floats(got),
                  ::testing::Pointwise(::testing::FloatNear(1e-6F), floats(classify({batch})[0])));
    }
  }
  EXPECT_THAT(called, ElementsAre(1, 4, 3, 4, 4, 5, 8, 7, 8, 8))
      << "as it is, traced twice, filled up, captured";
  for (const CapturedForm& form : step.report().forms) {
    EXPECT_EQ(form.state, CaptureState::kCaptured) << form.reason;
    EXPECT_EQ(form.plain_calls, 2U);
    EXPECT_EQ(form.replays, 10U);
  }
}

// Each gives what a plain call gives, and says why no bucket is filled up.
TEST_P(CapturedFunctionTest, RowsWithoutAProofStayAsTheyAre) {
  const auto runs_plainly = [&](const TensorFunction& fn, const std::string& reason) {
    CaptureOptions options = here();
    options.buckets = {4};
    const CapturedFunction step(fn, options);
    for (std::int64_t rows = 1; rows <= 3; ++rows) {
      const Tensor batch = Classifier::batch(rows, place());
      EXPECT_EQ(floats(step({batch})[0]), floats(fn({batch})[0]));
    }
    const CaptureReport report = step.report();
    ASSERT_THAT(report.forms, SizeIs(1));
    EXPECT_EQ(report.forms[0].state, CaptureState::kPlain);
    EXPECT_EQ(report.forms[0].plain_calls, 3U);
    EXPECT_THAT(report.forms[0].reason, HasSubstr(reason));
    EXPECT_THAT(report.forms[0].reason, HasSubstr("say CaptureOptions::rows_are_independent"));
  };
  runs_plainly([](const Tensors& in) { return Tensors{in[0] - mean(in[0])}; },
               "[mean] 'mean_0' mixes rows: it may hang on all rows of 'input_0'");
  runs_plainly([](const Tensors& in) { return Tensors{reduce_mean(in[0])}; },
               "[reduce_mean] 'reduce_mean_0' mixes rows");
  runs_plainly(
      [](const Tensors& in) {
        return Tensors{in[0] * static_cast<double>(reduce_sum(in[0]).item<float>())};
      },
      "it cannot be traced");
  runs_plainly(
      [](const Tensors& in) {
        return Tensors{in[0] * (1.0 / static_cast<double>(in[0].shape()[0]))};
      },
      "hangs on their number");
  nn::BatchNorm norm(3);
  norm.to(place());
  runs_plainly([&](const Tensors& in) { return Tensors{norm(in[0]).detach()}; },
               "[batch_norm] 'batch_norm_0' mixes rows");
}

TEST_P(CapturedFunctionTest, WithoutInputsThereAreNoRows) {
  CaptureOptions options = here();
  options.buckets = {4};
  const Tensor x = vector({1, 2});
  const CapturedFunction twice([&](const Tensors&) { return Tensors{x + x}; }, options);
  for (int i = 0; i < 3; ++i) EXPECT_THAT(floats(twice({})[0]), ElementsAre(2, 4));
  EXPECT_EQ(twice.report().forms.at(0).replays, 2U);
}

TEST_P(CapturedFunctionTest, WhatIsMadeOnceIsMadeByTheFirstCall) {
  CaptureOptions options = here();
  options.buckets = {4};
  Tensor made;
  const CapturedFunction step(
      [&](const Tensors& in) {
        if (!made.defined()) made = full({3}, 2.0, kFloat32).to(place());
        return Tensors{in[0] * made};
      },
      options);
  for (int i = 0; i < 4; ++i) {
    EXPECT_THAT(floats(step({Classifier::batch(1, place())})[0]), ElementsAre(0, 0.5, 1));
  }
  EXPECT_EQ(step.report().forms.at(0).state, CaptureState::kCaptured);
}

TEST_P(CapturedFunctionTest, OptionsThatContradictEachOtherAreRefused) {
  const TensorFunction fn = [](const Tensors& in) { return in; };
  const auto refuses = [&](CaptureOptions options, const std::string& text) {
    EXPECT_THAT([&] { CapturedFunction(fn, options); }, ThrowsMessage<Error>(HasSubstr(text)));
  };
  CaptureOptions options = here();
  options.warm_up = 0;
  refuses(options, "warm_up is 0");
  options = here();
  options.buckets = {4, 2};
  refuses(options, "buckets are 4, 2");
  options.buckets = {0};
  refuses(options, "buckets are 0");
  EXPECT_THAT([] { const CapturedFunction none{TensorFunction()}; },
              ThrowsMessage<Error>(HasSubstr("no function to capture")));
}

TEST_P(CapturedFunctionTest, WithinAnotherItIsAPlainCall) {
  int calls = 0;
  const CapturedFunction inner(
      [&](const Tensors& in) {
        ++calls;
        return Tensors{in[0] + in[0]};
      },
      here());
  const CapturedFunction outer([&](const Tensors& in) { return inner({in[0] * 3.0}); }, here());
  for (int i = 0; i < 4; ++i) EXPECT_THAT(floats(outer({vector({2})})[0]), ElementsAre(12));
  EXPECT_EQ(outer.report().forms.at(0).replays, 3U);
  EXPECT_EQ(calls, 2) << "the outer one's warm-up and capture";
  Graph graph(place());
  const Tensor x = vector({1});
  graph.capture_begin();
  const Tensor y = inner({x})[0];
  graph.capture_end();
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(2));
}

TEST_P(CapturedFunctionTest, ResetForgetsCaptures) {
  int calls = 0;
  double factor = 2;
  const CapturedFunction scale(
      [&](const Tensors& in) {
        ++calls;
        return Tensors{in[0] * factor};
      },
      here());
  for (int i = 0; i < 3; ++i) (void)scale({vector({1})});
  factor = 5;
  EXPECT_THAT(floats(scale({vector({1})})[0]), ElementsAre(2)) << "the code does not run again";
  scale.reset();
  EXPECT_THAT(scale.report().forms, IsEmpty());
  for (int i = 0; i < 3; ++i) EXPECT_THAT(floats(scale({vector({1})})[0]), ElementsAre(5));
}

TEST_P(CapturedFunctionTest, ResultsOutliveIt) {
  Tensor kept;
  {
    const CapturedFunction twice([](const Tensors& in) { return Tensors{in[0] + in[0]}; }, here());
    for (int i = 0; i < 3; ++i) kept = twice({vector({7})})[0];
  }
  EXPECT_THAT(floats(kept), ElementsAre(14));
}

}  // namespace
}  // namespace loci::capture
