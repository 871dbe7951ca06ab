#include "plugins/kernels/packed_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/plugins/kernels/random_floats.h"
#include "tests/support/test_host.h"

namespace loci::kernels {
namespace {

using testing::random_floats;

// y is read at y[k * row + n * column], rows of x lie `gap` elements apart beyond their own.
struct Read {
  std::int64_t row;
  std::int64_t column;
  std::int64_t gap = 0;
};

void check(std::int64_t m, std::int64_t n, std::int64_t k, const Read& read) {
  SCOPED_TRACE(::testing::Message() << m << " x " << k << " x " << n);
  const PackedProduct product{m, k + read.gap, PackedMatrix(k, n, panel_width())};
  const std::vector<float> x = random_floats(m * product.x_row, 1);
  const std::vector<float> y = random_floats(k * n, 2);
  std::vector<float> packed(static_cast<std::size_t>(product.y.elements()), NAN);
  pack(product.y, y.data(), read.row, read.column, packed.data());
  constexpr float kUntouched = 123;
  std::vector<float> out(static_cast<std::size_t>(m * n + 16), kUntouched);
  const testing::TestHost threads;
  multiply_packed(sdk::Host(threads.api()), product, x.data(), packed.data(), out.data());
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      double magnitude = 0;
      for (std::int64_t q = 0; q < k; ++q) {
        const double term =
            static_cast<double>(x[static_cast<std::size_t>(i * product.x_row + q)]) *
            static_cast<double>(y[static_cast<std::size_t>(q * read.row + j * read.column)]);
        sum += term;
        magnitude += std::abs(term);
      }
      ASSERT_NEAR(out[static_cast<std::size_t>(i * n + j)], sum,
                  static_cast<double>(k + 1) * magnitude * 6e-8 + 1e-30)
          << "row " << i << ", column " << j;
    }
  }
  for (std::size_t i = static_cast<std::size_t>(m * n); i < out.size(); ++i) {
    ASSERT_EQ(out[i], kUntouched) << "beyond the result";
  }
}

TEST(PackedProductTest, AnyNumberOfRows) {
  for (std::int64_t m = 1; m <= 20; ++m) check(m, 67, 19, {67, 1});
  for (const std::int64_t m : {95, 96, 97, 200}) check(m, 33, 5, {33, 1});
}

TEST(PackedProductTest, AnyNumberOfColumns) {
  for (std::int64_t n = 1; n <= 70; ++n) {
    check(1, n, 9, {n, 1});
    check(2, n, 3, {n, 1});
    check(3, n, 4, {n, 1});
    check(7, n, 5, {n, 1});
  }
  check(5, 700, 7, {700, 1});
}

TEST(PackedProductTest, BlocksOfTheSumAddUp) {
  for (const std::int64_t k : {1, 2, 255, 256, 257, 511, 513, 1000}) {
    check(1, 17, k, {17, 1});
    check(7, 17, k, {17, 1});
  }
}

TEST(PackedProductTest, ReadsTransposedMatricesAndRowsApart) {
  check(7, 21, 300, {1, 300});
  check(7, 21, 30, {21, 1, 3});
}

TEST(PackedMatrixTest, BlocksAreEven) {
  EXPECT_EQ(PackedMatrix(256, 8, 16).block, 256);
  EXPECT_EQ(PackedMatrix(257, 8, 16).block, 129);
  EXPECT_EQ(PackedMatrix(784, 8, 16).block, 196);
  EXPECT_EQ(PackedMatrix(784, 40, 16).elements(), 784 * 48);
  EXPECT_EQ(PackedMatrix(784, 40, 16).offset(196, 2), 196 * 48 + 2 * 196 * 16);
}

}  // namespace
}  // namespace loci::kernels
