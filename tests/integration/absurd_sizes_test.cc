// Sizes that nobody has memory for, and none at all, through ops that are fused and laid out: what
// has no elements is computed, and all else is one error that says what was too large.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <loci/loci.hpp>
#include <string>
#include <vector>

namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr std::int64_t kHuge = std::int64_t{1} << 30;

class AbsurdSizesTest : public ::testing::Test {
 protected:
  // Convolution, bias, normalised, residual, activation, pooled: all that is fused or laid out.
  static loci::Variable network(const loci::Variable& x) {
    const std::int64_t channels = x.shape()[1];
    const auto number = [&](const loci::Shape& shape) { return loci::fill_constant(shape, 0.01); };
    loci::Conv2dOptions same;
    same.paddings = {1, 1};
    const auto filter = number({channels, channels, 3, 3});
    const auto first = loci::relu(loci::conv2d(x, filter, same, number({channels})));
    const auto second = loci::relu(loci::conv2d(first, filter, same) + first);
    loci::Pool2dOptions options;
    options.padding_algorithm = "SAME";
    return loci::tanh(loci::pool2d(second, options) * 0.5 + 1.0);
  }

  std::vector<loci::Tensor> run(const loci::Feed& feed, const std::vector<loci::Fetch>& fetches) {
    return loci::Executor("cpu", {}, loci::Scope()).run(program_, feed, fetches);
  }
  // Returns the message of the error that is thrown; empty if nothing is thrown.
  static std::string error_of(const std::function<void()>& step) {
    try {
      step();
    } catch (const loci::Error& error) {
      return error.what();
    }
    return {};
  }

  loci::Program program_;
  loci::ProgramGuard building_{program_};
};

// The extents of one image overflow any count.
TEST_F(AbsurdSizesTest, NoImagesOfAnySizeGiveNone) {
  const loci::Shape shape{0, 32, kHuge, kHuge};
  const auto out = network(loci::data("x", shape, loci::kFloat32));
  const auto fetched = run({{"x", loci::zeros(shape)}}, {out});
  EXPECT_EQ(fetched[0].shape(), (loci::Shape{0, 32, kHuge / 2, kHuge / 2}));
}

TEST_F(AbsurdSizesTest, ImagesThatOverflowAreOneError) {
  const std::string message = error_of([&] {
    const auto image = loci::fill_constant({1, 32, kHuge, kHuge}, 1.0);
    run({}, {loci::mean(network(image))});
  });
  EXPECT_THAT(message, AnyOf(HasSubstr("1073741824"), HasSubstr("bytes"))) << message;
}

// Each extent is small enough, and their product fits an int64; their bytes need 4 TiB.
TEST_F(AbsurdSizesTest, ImagesWithoutMemoryAreOneError) {
  const std::string message = error_of([&] {
    const auto image = loci::fill_constant({1, 16, kHuge / 4096, kHuge / 4096}, 1.0);
    run({}, {loci::mean(network(image))});
  });
  EXPECT_THAT(message, HasSubstr("images of 68719476736 windows need more memory")) << message;
}

// The products are of small matrices.
TEST_F(AbsurdSizesTest, ProductsWithoutMemoryAreOneError) {
  const std::string message = error_of([&] {
    constexpr std::int64_t kMany = std::int64_t{1} << 20;
    const auto column = loci::fill_constant({kMany, 1}, 1.0);
    const auto row = loci::fill_constant({1, kMany}, 1.0);
    const auto bias = loci::fill_constant({kMany}, 1.0);
    run({}, {loci::mean(loci::gelu(loci::matmul(column, row) + bias))});
  });
  EXPECT_THAT(message, HasSubstr("memory")) << message;
}

// The error comes as the program is built.
TEST_F(AbsurdSizesTest, ChainsThatOverflowAreOneError) {
  const std::string message = error_of([&] {
    const auto a = loci::data("a", {kHuge, 1, 1}, loci::kFloat32);
    const auto b = loci::data("b", {1, kHuge, 1}, loci::kFloat32);
    const auto c = loci::data("c", {1, 1, kHuge}, loci::kFloat32);
    static_cast<void>(loci::tanh(a * b * c) + 1.0);
  });
  EXPECT_THAT(message, HasSubstr("1073741824")) << message;
}

TEST_F(AbsurdSizesTest, AttentionToNothingHasTheShapeOfItsQueries) {
  const auto query = loci::data("q", {2, 3, 8}, loci::kFloat32);
  const auto none = loci::data("none", {2, 0, 8}, loci::kFloat32);
  const auto out = loci::attention(query, none, none, 2);
  const auto fetched =
      run({{"q", loci::zeros({2, 3, 8})}, {"none", loci::zeros({2, 0, 8})}}, {out});
  EXPECT_EQ(fetched[0].shape(), (loci::Shape{2, 3, 8}));
  EXPECT_THAT(fetched[0].to_vector<float>(), ::testing::Each(0.0F));
}

}  // namespace
