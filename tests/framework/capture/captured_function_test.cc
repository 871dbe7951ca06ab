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

TEST_P(CapturedFunctionTest, OptionsThatContradictEachOtherAreRefused) {
  const TensorFunction fn = [](const Tensors& in) { return in; };
  const auto refuses = [&](CaptureOptions options, const std::string& text) {
    EXPECT_THAT([&] { CapturedFunction(fn, options); }, ThrowsMessage<Error>(HasSubstr(text)));
  };
  CaptureOptions options = here();
  options.warm_up = 0;
  refuses(options, "warm_up is 0");
  options = here();
  options.buckets = {2, 4};
  refuses(options, "say rows_are_independent");
  options.rows_are_independent = true;
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
