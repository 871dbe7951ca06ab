#include "plugins/kernels/packed_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/plugins/kernels/each_isa.h"
#include "tests/support/test_host.h"

namespace loci::kernels {
namespace {

template <class T>
struct Format;
template <>
struct Format<float> {
  static constexpr loci_dtype kDtype = LOCI_DTYPE_F32;
  static constexpr double kRoundoff = 0;  // beyond that of the sum
};
template <>
struct Format<sdk::f16> {
  static constexpr loci_dtype kDtype = LOCI_DTYPE_F16;
  static constexpr double kRoundoff = 0x1p-11;
};
template <>
struct Format<sdk::bf16> {
  static constexpr loci_dtype kDtype = LOCI_DTYPE_BF16;
  static constexpr double kRoundoff = 0x1p-8;
};

template <class T>
std::vector<T> random_elements(std::int64_t count, unsigned seed) {
  std::mt19937 numbers(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<T> result(static_cast<std::size_t>(count));
  for (T& value : result) value = T(values(numbers));
  return result;
}

template <class T>
double as_double(T value) {
  return static_cast<double>(static_cast<float>(value));
}

// y is read at y[k * row + n * column], rows of x lie `gap` elements apart beyond their own.
struct Read {
  std::int64_t row;
  std::int64_t column;
  std::int64_t gap = 0;
};

template <class T>
void check_as(std::int64_t m, std::int64_t n, std::int64_t k, const Read& read) {
  SCOPED_TRACE(::testing::Message()
               << m << " x " << k << " x " << n << ", " << sizeof(T) << " bytes");
  const PackedProduct product{m, k + read.gap,
                              PackedMatrix(k, n, panel_width(), Format<T>::kDtype)};
  const std::vector<T> x = random_elements<T>(m * product.x_row, 1);
  const std::vector<T> y = random_elements<T>(k * n, 2);
  std::vector<T> packed(static_cast<std::size_t>(product.y.elements()), T(NAN));
  pack(product.y, y.data(), read.row, read.column, packed.data());
  constexpr float kUntouched = 123;
  std::vector<T> out(static_cast<std::size_t>(m * n + 16), T(kUntouched));
  std::vector<float> workspace(product.workspace_bytes() / sizeof(float), NAN);
  const testing::TestHost threads;
  multiply_packed(sdk::Host(threads.api()), product, x.data(), packed.data(), out.data(),
                  workspace.data());
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      double magnitude = 0;
      for (std::int64_t q = 0; q < k; ++q) {
        const double term = as_double(x[static_cast<std::size_t>(i * product.x_row + q)]) *
                            as_double(y[static_cast<std::size_t>(q * read.row + j * read.column)]);
        sum += term;
        magnitude += std::abs(term);
      }
      const double summing = static_cast<double>(k + 1) * magnitude * 6e-8 + 1e-30;
      const double rounding = Format<T>::kRoundoff * (std::abs(sum) + summing) + 0x1p-25;
      ASSERT_NEAR(as_double(out[static_cast<std::size_t>(i * n + j)]), sum,
                  summing + (sizeof(T) == 2 ? rounding : 0))
          << "row " << i << ", column " << j;
    }
  }
  for (std::size_t i = static_cast<std::size_t>(m * n); i < out.size(); ++i) {
    ASSERT_EQ(as_double(out[i]), kUntouched) << "beyond the result";
  }
}

void check(std::int64_t m, std::int64_t n, std::int64_t k, const Read& read) {
  check_as<float>(m, n, k, read);
  check_as<sdk::f16>(m, n, k, read);
  check_as<sdk::bf16>(m, n, k, read);
}

TEST(PackedProductTest, AnyNumberOfRows) {
  for_each_isa([] {
    for (std::int64_t m = 1; m <= 20; ++m) check(m, 67, 19, {67, 1});
    for (const std::int64_t m : {95, 96, 97, 200}) check(m, 33, 5, {33, 1});
  });
}

TEST(PackedProductTest, AnyNumberOfColumns) {
  for_each_isa([] {
    for (std::int64_t n = 1; n <= 70; ++n) {
      check(1, n, 9, {n, 1});
      check(2, n, 3, {n, 1});
      check(3, n, 4, {n, 1});
      check(7, n, 5, {n, 1});
    }
    check(5, 700, 7, {700, 1});
  });
}

TEST(PackedProductTest, BlocksOfTheSumAddUp) {
  for_each_isa([] {
    for (const std::int64_t k : {1, 2, 255, 256, 257, 511, 513, 1000}) {
      check(1, 17, k, {17, 1});
      check(7, 17, k, {17, 1});
    }
  });
}

TEST(PackedProductTest, ReadsTransposedMatricesAndRowsApart) {
  for_each_isa([] {
    check(7, 21, 300, {1, 300});
    check(7, 21, 30, {21, 1, 3});
  });
}

double activated(Activation activation, double x) {
  const double risen = std::clamp(x + 3, 0.0, 6.0) / 6;
  switch (activation) {
    case Activation::kRelu: return std::max(x, 0.0);
    case Activation::kHardSigmoid: return risen;
    case Activation::kHardSwish: return x * risen;
    case Activation::kTanh: return std::tanh(x);
    default: return x;
  }
}

// The steps after the product, a part of which may be left out.
struct After {
  bool factor;
  bool bias;
  bool residual;
  Activation activation;
};

void check_epilogue(std::int64_t m, std::int64_t n, std::int64_t k, const After& after) {
  SCOPED_TRACE(::testing::Message() << m << " x " << k << " x " << n << ", activation "
                                    << static_cast<int>(after.activation));
  const PackedProduct product{m, k, PackedMatrix(k, n, panel_width())};
  const std::vector<float> x = random_elements<float>(m * k, 1);
  const std::vector<float> y = random_elements<float>(k * n, 2);
  const std::vector<float> factor = random_elements<float>(n, 3);
  const std::vector<float> bias = random_elements<float>(n, 4);
  const std::vector<float> residual = random_elements<float>(m * n, 5);
  std::vector<float> packed(static_cast<std::size_t>(product.y.elements()), NAN);
  pack(product.y, y.data(), n, 1, packed.data());
  constexpr float kUntouched = 123;
  std::vector<float> out(static_cast<std::size_t>(m * n + 16), kUntouched);
  const testing::TestHost threads;
  multiply_packed(sdk::Host(threads.api()), product, x.data(), packed.data(), out.data(), nullptr,
                  {after.bias ? bias.data() : nullptr, after.residual ? residual.data() : nullptr,
                   after.activation, after.factor ? factor.data() : nullptr});
  for (std::int64_t i = 0; i < m * n; ++i) {
    const std::int64_t j = i % n;
    double sum = 0;
    for (std::int64_t q = 0; q < k; ++q) {
      sum += as_double(x[static_cast<std::size_t>(i / n * k + q)]) *
             as_double(y[static_cast<std::size_t>(q * n + j)]);
    }
    if (after.factor) sum *= as_double(factor[static_cast<std::size_t>(j)]);
    if (after.bias) sum += as_double(bias[static_cast<std::size_t>(j)]);
    if (after.residual) sum += as_double(residual[static_cast<std::size_t>(i)]);
    ASSERT_NEAR(as_double(out[static_cast<std::size_t>(i)]), activated(after.activation, sum),
                static_cast<double>(k + 8) * 2e-6)
        << "row " << i / n << ", column " << j;
  }
  for (std::size_t i = static_cast<std::size_t>(m * n); i < out.size(); ++i) {
    ASSERT_EQ(out[i], kUntouched) << "beyond the result";
  }
}

TEST(PackedProductTest, DoesWhatTheEpilogueSaysOnce) {
  for_each_isa([] {
    for (const std::int64_t m : {1, 3, 15, 29}) {
      for (const std::int64_t n : {5, 8, 24, 33, 72}) {
        for (const std::int64_t k : {9, 300}) {
          check_epilogue(m, n, k, {true, true, true, Activation::kHardSwish});
          check_epilogue(m, n, k, {true, true, false, Activation::kRelu});
          check_epilogue(m, n, k, {false, true, false, Activation::kHardSigmoid});
          check_epilogue(m, n, k, {false, false, true, Activation::kTanh});
          check_epilogue(m, n, k, {true, false, false, Activation::kNone});
        }
      }
    }
  });
}

TEST(PackedProductTest, ActivationsPassNan) {
  for_each_isa([] {
    for (const Activation activation :
         {Activation::kRelu, Activation::kHardSigmoid, Activation::kHardSwish}) {
      const PackedProduct product{2, 1, PackedMatrix(1, 40, panel_width())};
      const std::vector<float> y(40, 1);
      std::vector<float> packed(static_cast<std::size_t>(product.y.elements()));
      pack(product.y, y.data(), 40, 1, packed.data());
      const float x[] = {NAN, -INFINITY};
      std::vector<float> out(80);
      const testing::TestHost threads;
      multiply_packed(sdk::Host(threads.api()), product, x, packed.data(), out.data(), nullptr,
                      {nullptr, nullptr, activation});
      for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_TRUE(std::isnan(out[i])) << i;
        EXPECT_EQ(out[40 + i], 0) << i;
      }
    }
  });
}

TEST(PackedMatrixTest, BlocksAreEven) {
  EXPECT_EQ(PackedMatrix(256, 8, 16).block, 256);
  EXPECT_EQ(PackedMatrix(257, 8, 16).block, 129);
  EXPECT_EQ(PackedMatrix(784, 8, 16).block, 196);
  EXPECT_EQ(PackedMatrix(784, 40, 16, LOCI_DTYPE_BF16).block, 112);
}

TEST(PackedMatrixTest, TheLastPanelIsAsNarrowAsItsColumnsAllow) {
  const PackedMatrix matrix(784, 40, 16);
  EXPECT_EQ(matrix.panels(), 3);
  EXPECT_EQ(matrix.width_of(1), 16);
  EXPECT_EQ(matrix.width_of(2), 8);
  EXPECT_EQ(matrix.elements(), 784 * 40);
  EXPECT_EQ(matrix.bytes(), 4U * 784 * 40);
  EXPECT_EQ(PackedMatrix(784, 40, 16, LOCI_DTYPE_F16).bytes(), 2U * 784 * 40);
  EXPECT_EQ(matrix.offset(196, 2), 196 * 40 + 2 * 196 * 16);
  EXPECT_EQ(PackedMatrix(784, 41, 16).width_of(2), 16);
  EXPECT_EQ(PackedMatrix(784, 41, 16).elements(), 784 * 48);
}

}  // namespace
}  // namespace loci::kernels
