// Random programs of patterns and other operators, recognised and as they are written.
#include <algorithm>

#include "tests/framework/passes/recognition_fixture.h"

namespace loci::passes {
namespace {

using fuzz::Dice;

class RandomPatterns {
 public:
  explicit RandomPatterns(std::uint64_t seed) : dice_(seed) {}

  // [batch, length, width] for a value of that shape.
  Variable step(const Variable& x) {
    switch (dice_.below(9)) {
      case 0:
      case 1: return gelu_of(x);
      case 2: return softmax_of(x, static_cast<std::int64_t>(dice_.below(3)));
      case 3: return log(softmax_of(x, 2)) * 0.1;
      case 4:
      case 5: return norm_of(x);
      case 6: return attention_of(x);
      case 7: return tanh(x) + x * 0.5;
      default: return relu(x) - 0.25;
    }
  }

  // These spoil a pattern now and then: somebody else reads the value.
  std::vector<Variable> fetches;

 private:
  Variable seen(const Variable& x) {
    if (dice_.chance(5)) fetches.push_back(x);
    return x;
  }
  Variable gelu_of(const Variable& x) {
    if (dice_.chance(40)) return exact_gelu_of(x);
    const Variable cubed = dice_.chance(50) ? x * x * x : seen(square(x)) * x;
    const Variable gate = seen(1.0 + tanh(0.7978845608 * (x + 0.044715 * cubed)));
    return dice_.chance(50) ? 0.5 * x * gate : x * (gate / 2.0);
  }
  Variable exact_gelu_of(const Variable& x) {
    const Variable u = dice_.chance(50) ? x / 1.4142135624 : x * 0.7071067812;
    const Variable gate = seen(1.0 + erf(seen(u)));
    return dice_.chance(50) ? 0.5 * x * gate : x * (gate / 2.0);
  }
  Variable softmax_of(const Variable& x, std::int64_t axis) {
    const Variable powers = exp(seen(x - reduce_max(x, {axis}, true)));
    return powers / reduce_sum(powers, {axis}, true);
  }
  Variable norm_of(const Variable& x) {
    const Variable d = seen(x - reduce_mean(x, {-1}, true));
    const Variable variance = reduce_mean(dice_.chance(50) ? square(d) : d * d, {-1}, true) + 1e-2;
    const Variable y = dice_.chance(50) ? d / sqrt(variance) : d * rsqrt(variance);
    if (dice_.chance(30)) return y;
    const std::int64_t width = x.shape()[2];
    return y * fill_constant({width}, 0.75) + fill_constant({width}, 0.125);
  }
  Variable attention_of(const Variable& x) {
    const std::int64_t width = x.shape()[2] / 2;
    const auto heads = [&](const Variable& of) {
      return transpose(reshape(of, {0, 0, 2, width}), {0, 2, 1, 3});
    };
    const Variable scores = seen(matmul(heads(x), heads(tanh(x)), false, true) * 0.3);
    const Variable weights = dice_.chance(50) ? softmax(scores) : softmax_of(scores, 3);
    return reshape(transpose(matmul(weights, heads(x)), {0, 2, 1, 3}), {0, 0, 2 * width});
  }

  Dice dice_;
};

// Now and then one whose attention has enough scores.
Shape shape_by(std::uint64_t seed) {
  Dice dice(seed);
  if (seed % 5 == 0) return {1, 1500, 2 * (1 + static_cast<std::int64_t>(dice.below(4)))};
  return {1 + static_cast<std::int64_t>(dice.below(3)),
          1 + static_cast<std::int64_t>(dice.below(9)),
          2 * (1 + static_cast<std::int64_t>(dice.below(20)))};
}

class RecognisedProgramsTest : public RecognitionTest, public ::testing::WithParamInterface<int> {};

TEST_P(RecognisedProgramsTest, ComputeTheSame) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const Shape shape = shape_by(seed);
  RandomPatterns patterns(seed + 1000);
  Variable value = data("x", shape, kFloat32);
  const std::size_t steps = 2 + seed % 4;
  for (std::size_t i = 0; i < steps; ++i) value = patterns.step(value);
  patterns.fetches.push_back(value);
  const Feed feed{{"x", random_tensor(shape, seed)}};
  expect_same_values(feed, patterns.fetches);
  const std::vector<Fetch> fetched(patterns.fetches.begin(), patterns.fetches.end());
  Executor with("cpu");
  Executor without("cpu", plain());
  EXPECT_LE(inspect::plan(with, main_, feed, fetched).operators.size(),
            inspect::plan(without, main_, feed, fetched).operators.size());
}

// So that the others are about something: most steps of most programs are patterns.
TEST_F(RecognitionTest, MostPatternsOfAProgramAreRecognised) {
  RandomPatterns patterns(1);
  Variable value = data("x", {2, 1500, 8}, kFloat32);
  for (int i = 0; i < 100; ++i) value = patterns.step(value);
  patterns.fetches.push_back(value);
  const std::size_t before = types().size();
  recognise(patterns.fetches);
  for (const char* type : {"gelu", "softmax", "log_softmax", "layer_norm", "attention"}) {
    EXPECT_THAT(types(), ::testing::Contains(type));
  }
  EXPECT_LT(types().size() * 2, before);
}

INSTANTIATE_TEST_SUITE_P(All, RecognisedProgramsTest, ::testing::Range(0, 40));

}  // namespace
}  // namespace loci::passes
