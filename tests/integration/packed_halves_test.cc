// Constants of 16 bits in the layouts that kernels like.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <loci/loci.hpp>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t kDepth = 96;
constexpr std::int64_t kWidth = 80;

class PackedHalvesTest : public ::testing::TestWithParam<loci::DType> {
 protected:
  // Multiples of 1/8 up to 1, which halves hold, and whose products and sums float32 does.
  static loci::Tensor eighths(const loci::Shape& shape, int seed) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < shape.numel(); ++i) {
      values.push_back(static_cast<float>((i * 7 + seed * 13) % 17 - 8) / 8.0F);
    }
    return loci::Tensor::from(values, shape);
  }
  static loci::Tensor as_half(const loci::Tensor& x) { return loci::cast(x, GetParam()); }

  // The exact values, rounded once.
  static void expect_rounded(const loci::Tensor& got, const loci::Tensor& exact) {
    ASSERT_EQ(got.dtype(), GetParam());
    const auto values = loci::cast(got, loci::kFloat32).to_vector<float>();
    const auto expected = loci::cast(as_half(exact), loci::kFloat32).to_vector<float>();
    EXPECT_EQ(values, expected);
  }

  loci::Scope scope_;
};

TEST_P(PackedHalvesTest, MatricesForAnyNumberOfRows) {
  loci::Program program;
  loci::Variable out;
  {
    const loci::ProgramGuard building(program, loci::Program());
    const loci::Variable x = loci::data("x", {-1, kDepth}, GetParam());
    out = loci::matmul(x, loci::create_parameter({kDepth, kWidth}, GetParam(),
                                                 loci::initializer::constant(0), "w"));
  }
  const loci::Tensor weight = eighths({kDepth, kWidth}, 1);
  scope_.set("w", as_half(weight));
  loci::Executor executor("cpu", {}, scope_);
  for (const std::int64_t rows : {1, 2, 64, 512}) {
    SCOPED_TRACE(rows);
    const loci::Tensor x = eighths({rows, kDepth}, 2);
    const loci::Feed feed{{"x", as_half(x)}};
    expect_rounded(executor.run(program, feed, {out})[0], loci::matmul(x, weight));
    const auto plan = loci::inspect::plan(executor, program, feed, {out});
    ASSERT_EQ(plan.packed.size(), 1U) << plan.operators[0].kernel;
    const std::string name = GetParam() == loci::kBFloat16 ? "bf16" : "f16";
    EXPECT_THAT(plan.packed[0].layout, ::testing::HasSubstr(name));
  }
}

TEST_P(PackedHalvesTest, Filters) {
  loci::Program program;
  loci::Variable out;
  loci::Conv2dOptions options;
  options.paddings = {1, 1};
  {
    const loci::ProgramGuard building(program, loci::Program());
    const loci::Variable x = loci::data("x", {2, 16, 20, 20}, GetParam());
    out = loci::conv2d(x,
                       loci::create_parameter({32, 16, 3, 3}, GetParam(),
                                              loci::initializer::constant(0), "filter"),
                       options);
  }
  const loci::Tensor filter = eighths({32, 16, 3, 3}, 1);
  scope_.set("filter", as_half(filter));
  loci::Executor executor("cpu", {}, scope_);
  const loci::Tensor x = eighths({2, 16, 20, 20}, 2);
  expect_rounded(executor.run(program, {{"x", as_half(x)}}, {out})[0],
                 loci::conv2d(x, filter, options));
}

INSTANTIATE_TEST_SUITE_P(Halves, PackedHalvesTest,
                         ::testing::Values(loci::kBFloat16, loci::kFloat16), [](const auto& info) {
                           return std::string(loci::dtype_name(info.param));
                         });

}  // namespace
