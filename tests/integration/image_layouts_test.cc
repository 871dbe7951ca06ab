// Networks of convolutions and pooling whose values the kernels lay out among themselves: what they
// compute is what they compute with every value plain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <loci/loci.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

// A network of random layers, residuals among them.
class RandomNetwork {
 public:
  enum class Use { kInference, kTraining };

  RandomNetwork(std::uint32_t seed, const loci::Program& program, const loci::Scope& scope,
                Use use = Use::kInference)
      : random_(seed), scope_(scope), is_trained_(use == Use::kTraining) {
    const loci::Program startup;
    const loci::ProgramGuard building(program, startup);
    feed_ = {pick({1, 2, 5}), pick({3, 16}), pick({9, 16, 23}), pick({8, 17, 30})};
    loci::Variable value = loci::data("x", feed_, loci::kFloat32);
    const std::int64_t layers = pick({2, 4, 7, 10});
    for (std::int64_t i = 0; i < layers; ++i) value = layer(value);
    out_ = value;
    if (!is_trained_) return;
    // Weighted, so that no two elements count the same, and nothing is only a sum.
    const loci::Variable loss = loci::mean(loci::tanh(value) * (value + 0.5));
    gradients_ = loci::gradients(loss, parameters_);
  }

  [[nodiscard]] const loci::Shape& feed() const { return feed_; }
  [[nodiscard]] const loci::Variable& out() const { return out_; }
  // The result, and in training the gradients of all parameters.
  [[nodiscard]] std::vector<loci::Fetch> results() const {
    std::vector<loci::Fetch> all{out_};
    for (const loci::Variable& gradient : gradients_) all.emplace_back(gradient);
    return all;
  }

 private:
  std::int64_t pick(const std::vector<std::int64_t>& from) { return from[random_() % from.size()]; }

  loci::Variable layer(const loci::Variable& x) {
    switch (random_() % (is_trained_ ? 11 : 9)) {
      case 9:
      case 10: return loci::relu(norm(convolve(x, x.shape()[1], 3, 1)));
      case 0: return pool(x);
      case 1: return block(x);
      case 6: return hard_swish(x);
      case 7: return excite(x);
      case 8: return shift(x);
      case 2: return activated(convolve(x, x.shape()[1], pick({3, 5}), x.shape()[1]));
      case 3: return activated(convolve(x, pick({8, 16, 40}), 1, 1));
      default: return loci::relu(convolve(x, pick({16, 32, 19}), 3, 1));
    }
  }

  loci::Variable convolve(const loci::Variable& x, std::int64_t filters, std::int64_t size,
                          std::int64_t groups, std::int64_t stride = 0) {
    const loci::Shape shape{filters, x.shape()[1] / groups, size, size};
    const std::string name = "w" + std::to_string(filters_++);
    const loci::Variable filter =
        loci::create_parameter(shape, loci::kFloat32, loci::initializer::constant(0), name);
    parameters_.push_back(filter);
    scope_.set(name,
               loci::randn(shape) * (1.0 / std::sqrt(static_cast<double>(shape[1] * size * size))));
    loci::Conv2dOptions options;
    options.groups = groups;
    options.paddings = {size / 2, size / 2};
    options.strides = std::vector<std::int64_t>(2, stride == 0 ? pick({1, 1, 2}) : stride);
    return loci::conv2d(x, filter, options);
  }

  loci::Variable pool(const loci::Variable& x) {
    if (std::min(x.shape()[2], x.shape()[3]) < 3) return x;
    loci::Pool2dOptions options;
    options.pooling_type = random_() % 2 == 0 ? "max" : "avg";
    options.ksize = {3, 3};
    options.strides = {2, 2};
    options.paddings = {1, 1};
    return loci::pool2d(x, options);
  }

  // Normalizes by the statistics of the batch.
  loci::Variable norm(const loci::Variable& x) {
    const auto channels = [&](double value) {
      const loci::Shape shape{x.shape()[1]};
      const std::string name = "c" + std::to_string(norms_++);
      scope_.set(name, loci::rand(shape) * 0.1 + value);
      return loci::create_parameter(shape, loci::kFloat32, loci::initializer::constant(value),
                                    name);
    };
    const loci::Variable scale = channels(1);
    const loci::Variable bias = channels(0);
    parameters_.insert(parameters_.end(), {scale, bias});
    return loci::batch_norm(x, scale, bias, channels(0), channels(1));
  }

  static loci::Variable hard_sigmoid(const loci::Variable& x) {
    return loci::clip(x + 3.0, 0, 6) * (1.0 / 6);
  }
  // Or not.
  loci::Variable activated(const loci::Variable& x) {
    switch (random_() % 4) {
      case 0: return loci::relu(x);
      case 1: return hard_swish(x);
      case 2: return is_trained_ ? loci::tanh(x) : loci::elementwise_add(loci::sigmoid(x), x);
      default: return x;
    }
  }
  // The operator, or what others write for it.
  loci::Variable hard_swish(const loci::Variable& x) {
    return random_() % 2 == 0 ? loci::hard_swish(x) : x * hard_sigmoid(x);
  }

  // Multiplies by factors of channels, which broadcast.
  loci::Variable excite(const loci::Variable& x) {
    loci::Pool2dOptions options;
    options.pooling_type = "avg";
    options.global_pooling = true;
    const loci::Variable means = loci::pool2d(x, options);
    return x * hard_sigmoid(convolve(means, x.shape()[1], 1, 1, 1));
  }

  // Adds a constant as large as an image, or one of each channel; neither lies as images may.
  loci::Variable shift(const loci::Variable& x) {
    const auto& dims = x.shape();
    const bool is_image = random_() % 2 == 0;
    const loci::Shape shape = is_image ? dims : loci::Shape{1, dims[1], 1, 1};
    const std::string name = "w" + std::to_string(filters_++);
    scope_.set(name, loci::randn(shape));
    return x + loci::create_parameter(shape, loci::kFloat32, loci::initializer::constant(0), name);
  }

  loci::Variable block(const loci::Variable& x) {
    const std::int64_t channels = x.shape()[1];
    const loci::Variable inner = loci::relu(convolve(x, 16, 3, 1, 1));
    return loci::relu(loci::elementwise_add(convolve(inner, channels, 3, 1, 1), x));
  }

  std::mt19937 random_;
  loci::Scope scope_;
  loci::Shape feed_;
  bool is_trained_;
  loci::Variable out_;
  std::vector<loci::Variable> parameters_;
  std::vector<loci::Variable> gradients_;
  int filters_ = 0;
  int norms_ = 0;
};

void expect_close(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], want[i], 2e-5 * std::max(1.0F, std::abs(want[i]))) << "at " << i;
  }
}

// Each constant is packed for the kernels that run, and for no others.
void expect_packed_once(const loci::inspect::Plan& plan) {
  std::set<std::string> packed;
  for (const loci::inspect::PackedConstant& constant : plan.packed) {
    EXPECT_TRUE(packed.insert(constant.variable).second) << constant.variable;
  }
}

TEST(ImageLayouts, RandomNetworksComputeTheSame) {
  loci::CompileOptions plain;
  plain.chain_layouts = false;
  std::size_t laid_out = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const loci::Program program;
    const loci::Scope scope;
    const RandomNetwork network(seed, program, scope);
    const loci::Feed feed{{"x", loci::randn(network.feed())}};
    for (const int threads : {1, 3}) {
      loci::config::set_threads(threads);
      loci::Executor chained("cpu", {}, scope);
      loci::Executor written("cpu", plain, scope);
      const auto plan = loci::inspect::plan(chained, program, feed, {network.out()});
      laid_out += plan.laid_out.size();
      expect_packed_once(plan);
      EXPECT_TRUE(loci::inspect::plan(written, program, feed, {network.out()}).laid_out.empty());
      expect_close(chained.run(program, feed, {network.out()})[0].to_vector<float>(),
                   written.run(program, feed, {network.out()})[0].to_vector<float>());
    }
  }
  EXPECT_GT(laid_out, 100U);
}

// Returns by how much of the largest element they differ. What relu and maxima let through may hang
// on one rounding, and then a single element does.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 1e-6;
  double difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max<double>(largest, std::abs(b[i]));
    difference = std::max<double>(difference, std::abs(a[i] - b[i]));
  }
  return difference / largest;
}

TEST(ImageLayouts, RandomTrainingStepsComputeTheSame) {
  loci::CompileOptions plain;
  plain.chain_layouts = false;
  std::size_t laid_out = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const loci::Program program;
    const loci::Scope scope;
    loci::seed(seed);
    const RandomNetwork network(seed, program, scope, RandomNetwork::Use::kTraining);
    const loci::Feed feed{{"x", loci::randn(network.feed())}};
    loci::config::set_threads(seed % 2 == 0 ? 1 : 3);
    loci::Executor chained("cpu", {}, scope);
    loci::Executor written("cpu", plain, scope);
    const std::vector<loci::Fetch> results = network.results();
    const auto plan = loci::inspect::plan(chained, program, feed, results);
    for (const auto& value : plan.laid_out) {
      laid_out += value.variable.find("@GRAD") != std::string::npos ? 1 : 0;
    }
    const auto got = chained.run(program, feed, results);
    const auto want = written.run(program, feed, results);
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_LT(distance(got[i].to_vector<float>(), want[i].to_vector<float>()), 1e-2)
          << results[i].name();
    }
  }
  EXPECT_GT(laid_out, 60U);
}

// The factors of channels have a gradient that is summed over images, which must not make the
// images around it plain.
TEST(ImageLayouts, ImagesWithFactorsOfChannelsStayLaidOutInTraining) {
  const loci::Program program;
  const loci::Program startup;
  const loci::Scope scope;
  std::vector<loci::Fetch> results;
  {
    const loci::ProgramGuard building(program, startup);
    const auto weight = [&](const std::string& name, const loci::Shape& shape) {
      scope.set(name, loci::randn(shape) * 0.1);
      return loci::create_parameter(shape, loci::kFloat32, loci::initializer::constant(0), name);
    };
    const loci::Variable expand = weight("expand", {32, 16, 1, 1});
    const loci::Variable each = weight("each", {32, 1, 5, 5});
    const loci::Variable factors = weight("factors", {32, 32, 1, 1});
    const loci::Variable project = weight("project", {16, 32, 1, 1});
    loci::Conv2dOptions by_channel;
    by_channel.groups = 32;
    by_channel.paddings = {2, 2};
    loci::Pool2dOptions whole;
    whole.pooling_type = "avg";
    whole.global_pooling = true;
    const loci::Variable x = loci::data("x", {2, 16, 12, 12}, loci::kFloat32);
    const loci::Variable inner =
        loci::relu(loci::conv2d(loci::conv2d(x, expand), each, by_channel));
    const loci::Variable excited =
        inner * loci::sigmoid(loci::conv2d(loci::pool2d(inner, whole), factors));
    const loci::Variable loss = loci::mean(loci::square(loci::conv2d(excited, project)));
    for (const loci::Variable& gradient : loci::gradients(loss, {expand, each, factors, project})) {
      results.emplace_back(gradient);
    }
  }
  loci::CompileOptions plain;
  plain.chain_layouts = false;
  const loci::Feed feed{{"x", loci::randn({2, 16, 12, 12})}};
  loci::Executor chained("cpu", {}, scope);
  loci::Executor written("cpu", plain, scope);
  std::vector<std::string> kernels;
  for (const auto& op : loci::inspect::plan(chained, program, feed, results).operators) {
    kernels.push_back(op.kernel);
  }
  EXPECT_THAT(kernels, ::testing::Contains("org.loci.cpu/channels"));
  const auto got = chained.run(program, feed, results);
  const auto want = written.run(program, feed, results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_LT(distance(got[i].to_vector<float>(), want[i].to_vector<float>()), 1e-5)
        << results[i].name();
  }
}

TEST(ImageLayouts, ThePlanSaysWhichValuesHowAndWhoWritesThem) {
  const loci::Program program;
  const loci::Program startup;
  const loci::Scope scope;
  loci::Variable first;
  loci::Variable second;
  {
    const loci::ProgramGuard building(program, startup);
    loci::Conv2dOptions options;
    options.paddings = {1, 1};
    const auto filter = [&](const std::string& name) {
      scope.set(name, loci::randn({32, 32, 3, 3}));
      return loci::create_parameter({32, 32, 3, 3}, loci::kFloat32, loci::initializer::constant(0),
                                    name);
    };
    first = loci::conv2d(loci::data("x", {1, 32, 16, 16}, loci::kFloat32), filter("a"), options);
    second = loci::conv2d(first, filter("b"), options);
  }
  loci::Executor executor("cpu", {}, scope);
  const auto plan =
      loci::inspect::plan(executor, program, {{"x", loci::randn({1, 32, 16, 16})}}, {second});
  ASSERT_EQ(plan.laid_out.size(), 1U);
  EXPECT_EQ(plan.laid_out[0].variable, first.name());
  EXPECT_EQ(plan.laid_out[0].producer, plan.operators[0].name);
  EXPECT_EQ(plan.laid_out[0].place, "cpu");
  EXPECT_EQ(plan.laid_out[0].layout, "channels last");
  EXPECT_EQ(plan.laid_out[0].bytes, 32U * 16 * 16 * 4);
}

// Its channels are channels of a filter: convolutions read it as it is described.
TEST(ImageLayouts, AFilterThatIsComputedAsAnImageIsPlain) {
  const loci::Program program;
  const loci::Program startup;
  const loci::Scope scope;
  loci::Variable out;
  {
    const loci::ProgramGuard building(program, startup);
    loci::Conv2dOptions options;
    options.paddings = {1, 1};
    scope.set("w", loci::randn({32, 32, 3, 3}) * 0.1);
    const auto weight =
        loci::create_parameter({32, 32, 3, 3}, loci::kFloat32, loci::initializer::constant(0), "w");
    const auto filter =
        loci::conv2d(loci::data("f", {32, 32, 3, 3}, loci::kFloat32), weight, options);
    out = loci::conv2d(loci::data("x", {1, 32, 16, 16}, loci::kFloat32), filter, options);
  }
  const loci::Feed feed{{"f", loci::randn({32, 32, 3, 3}) * 0.1},
                        {"x", loci::randn({1, 32, 16, 16})}};
  loci::Executor chained("cpu", {}, scope);
  loci::Executor written("cpu", loci::CompileOptions::none(), scope);
  expect_close(chained.run(program, feed, {out})[0].to_vector<float>(),
               written.run(program, feed, {out})[0].to_vector<float>());
}

}  // namespace
