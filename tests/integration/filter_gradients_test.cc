// Gradients of filters between two convolutions of a program, whose images kernels lay out among
// themselves, against float64.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <loci/loci.hpp>
#include <random>
#include <string>
#include <vector>

namespace {

using Tensors = std::vector<loci::Tensor>;

struct Pair {
  loci::Shape x;
  loci::Shape first;
  loci::Shape second;
  loci::Conv2dOptions options;  // of the second
};

std::vector<double> numbers(const loci::Tensor& tensor) {
  return loci::cast(tensor, loci::kFloat64).to_vector<double>();
}

// The gradients of the second filter and of a bias, what they are computed from, and a value that
// is kept beside them.
Tensors gradients(const Tensors& in, const loci::Conv2dOptions& second) {
  loci::Conv2dOptions first;
  first.paddings = {1, 1};
  loci::Tensor filter = in[2].detach();
  loci::Tensor bias = in[3].detach();
  filter.set_requires_grad();
  bias.set_requires_grad();
  const loci::Tensor out = loci::conv2d(loci::conv2d(in[0], in[1], first), filter, second, bias);
  const loci::Tensor out_grad = loci::tanh(out.detach()) * 2.0;
  Tensors results = loci::grad({out}, {filter, bias}, {out_grad});
  results.push_back(out_grad);
  results.push_back(out.detach());
  return results;
}

void expect_right(const Pair& pair, loci::DType dtype, bool reuse_memory, double tolerance) {
  loci::seed(3);
  Tensors in;
  for (const loci::Shape& shape : {pair.x, pair.first, pair.second}) {
    in.push_back(loci::cast(loci::rand(shape, -1, 1), dtype));
  }
  in.push_back(loci::cast(loci::rand({pair.second[0]}), dtype));
  Tensors wide;
  for (const loci::Tensor& tensor : in) wide.push_back(loci::cast(tensor, loci::kFloat64));
  const auto compute = [&](const Tensors& inputs) { return gradients(inputs, pair.options); };
  const Tensors expected = compute(wide);
  loci::CompileOptions options;
  options.reuse_memory = reuse_memory;
  const Tensors actual = loci::compile(compute, in, {}, options)(in);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto a = numbers(actual[i]);
    const auto b = numbers(expected[i]);
    double most = 1e-3;
    for (const double value : b) most = std::fmax(most, std::fabs(value));
    for (std::size_t j = 0; j < b.size(); ++j) {
      ASSERT_LE(std::fabs(a[j] - b[j]), tolerance * most)  // false for NaN
          << "result " << i << ", element " << j << " is " << a[j] << " instead of " << b[j];
    }
  }
}

TEST(FilterGradients, LeaveMemoryBesideThemAlone) {
  Pair pair{{32, 3, 10, 18}, {2, 3, 3, 3}, {16, 2, 1, 1}, {}};
  pair.options.strides = {1, 2};
  for (const bool reuse_memory : {true, false}) {
    SCOPED_TRACE(reuse_memory);
    expect_right(pair, loci::kFloat32, reuse_memory, 1e-4);
  }
}

TEST(FilterGradients, OfStridedPixelsAreRightForFewChannels) {
  std::mt19937 random(5);
  const auto pick = [&](int least, int most) {
    return least + static_cast<std::int64_t>(random() % static_cast<unsigned>(most - least + 1));
  };
  for (int i = 0; i < 60; ++i) {
    const std::int64_t channels = pick(1, 17);
    Pair pair{{58, pick(1, 4), 2 * pick(4, 9), 2 * pick(4, 9)}, {}, {16, channels, 1, 1}, {}};
    pair.first = {channels, pair.x[1], 3, 3};
    pair.options.strides = {pick(1, 2), 2};
    SCOPED_TRACE("pair " + std::to_string(i) + ", channels " + std::to_string(channels));
    expect_right(pair, loci::kFloat32, /*reuse_memory=*/true, 1e-4);
  }
}

// Rows are left out, and channels fill no block.
TEST(FilterGradients, OfDilatedGroupsAreRight) {
  for (const loci::DType dtype : {loci::kBFloat16, loci::kFloat16, loci::kFloat32}) {
    for (const std::int64_t groups : {1, 2, 3}) {
      for (const std::int64_t width : {24, 40, 64}) {
        for (const std::int64_t dilation : {1, 2, 3}) {
          Pair pair{{1, 3, 9, width}, {4 * groups, 3, 3, 3}, {4 * groups, 4, 3, 3}, {}};
          pair.options.groups = groups;
          pair.options.dilations = {dilation, dilation};
          pair.options.paddings = {1, 1};
          SCOPED_TRACE(std::string(loci::dtype_name(dtype)) + ", groups " + std::to_string(groups) +
                       ", width " + std::to_string(width) + ", dilation " +
                       std::to_string(dilation));
          expect_right(pair, dtype, /*reuse_memory=*/true, dtype == loci::kFloat32 ? 1e-4 : 0.05);
        }
      }
    }
  }
}

// Strides step over columns that no row has.
TEST(FilterGradients, OfImagesNarrowerThanTheStrideAreRight) {
  Pair pair{{1, 3, 8, 2}, {32, 3, 3, 3}, {62, 32, 5, 5}, {}};
  pair.options.strides = {3, 3};
  pair.options.padding_algorithm = "SAME";
  for (const loci::DType dtype : {loci::kBFloat16, loci::kFloat16, loci::kFloat32}) {
    expect_right(pair, dtype, /*reuse_memory=*/true, dtype == loci::kFloat32 ? 1e-4 : 0.05);
  }
}

}  // namespace
