// Services meet any number of batch sizes: what is kept of each is bounded.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <loci/loci.hpp>

#include "framework/core/sanitizer.h"

namespace loci {
namespace {

constexpr std::int64_t kBatchSizes = 5000;
constexpr std::int64_t kIn = 64;
constexpr std::int64_t kOut = 32;
// The limit of one cache of prepared kernels, what oneDNN keeps of its own, and what else there is.
constexpr std::uint64_t kMostGrowth = std::uint64_t{160} << 20;

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Tensor ramp(const Shape& shape) {
  std::vector<float> elements(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i % 7);
  return Tensor::from(elements, shape);
}

// Small whole numbers, so that sums are exact in any order.
float product_at(std::int64_t row, std::int64_t column) {
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < kIn; ++k) {
    sum += (row * kIn + k) % 7 * ((k * kOut + column) % 7);
  }
  return static_cast<float>(sum);
}

void expect_product(const Tensor& product, std::int64_t rows) {
  ASSERT_EQ(product.shape(), Shape({rows, kOut}));
  const Tensor host = product.to_host();
  const float* elements = host.data<float>();
  for (const std::int64_t row : {std::int64_t{0}, rows / 2, rows - 1}) {
    ASSERT_EQ(elements[row * kOut + row % kOut], product_at(row, row % kOut)) << rows;
  }
}

void expect_growth_below_the_limit(std::uint64_t before) {
#if !defined(LOCI_ASAN) && !defined(LOCI_TSAN)  // which keep what is freed
  const std::uint64_t after = resident_bytes();
  const std::uint64_t growth = after > before ? after - before : 0;
  ::testing::Test::RecordProperty("growth_mib", static_cast<int>(growth >> 20));
  EXPECT_LT(growth, kMostGrowth);
#else
  (void)before;
#endif
}

TEST(BatchSizesTest, ImperativeCodeKeepsABoundedNumberOfKernels) {
  const Tensor w = ramp({kIn, kOut});
  const Tensor all = ramp({kBatchSizes, kIn});
  expect_product(matmul(all.rows(0, 64), w), 64);
  const std::uint64_t before = resident_bytes();
  for (std::int64_t rows = 1; rows <= kBatchSizes; ++rows) {
    expect_product(matmul(all.rows(0, rows), w), rows);
  }
  expect_growth_below_the_limit(before);
}

TEST(BatchSizesTest, AnExecutorKeepsABoundedNumberOfKernels) {
  const Program main;
  const ProgramGuard building(main);
  const Variable out = matmul(data("x", {-1, kIn}, kFloat32), data("w", {kIn, kOut}, kFloat32));
  Executor executor("cpu");
  const Tensor w = ramp({kIn, kOut});
  const Tensor all = ramp({kBatchSizes, kIn});
  const auto run = [&](std::int64_t rows) {
    expect_product(executor.run(main, {{"x", all.rows(0, rows)}, {"w", w}}, {out}).front(), rows);
  };
  run(64);
  const std::uint64_t before = resident_bytes();
  for (std::int64_t rows = 1; rows <= kBatchSizes; ++rows) run(rows);
  expect_growth_below_the_limit(before);
}

}  // namespace
}  // namespace loci
