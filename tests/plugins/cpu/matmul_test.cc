#include <cstring>

#include "tests/plugins/cpu/cpu_plugin.h"

namespace loci::testing {
namespace {

struct Case {
  Dims x;
  Dims y;
  bool transpose_x = false;
  bool transpose_y = false;
};

struct Matrix {
  Dims batch;
  std::int64_t rows;
  std::int64_t columns;
  bool transposed;
  bool vector;
};

Matrix read(const Dims& dims, bool transposed, bool is_left) {
  if (dims.size() == 1) {
    return {{}, is_left ? 1 : dims[0], is_left ? dims[0] : 1, false, true};
  }
  const std::int64_t rows = dims[dims.size() - 2];
  const std::int64_t columns = dims[dims.size() - 1];
  return {Dims(dims.begin(), dims.end() - 2), transposed ? columns : rows,
          transposed ? rows : columns, transposed, false};
}

std::int64_t matrix_index(const Matrix& matrix, const Dims& batch, std::int64_t index) {
  std::int64_t result = 0;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::int64_t extent = batch[batch.size() - 1 - i];
    const std::int64_t coordinate = index % extent;
    index /= extent;
    if (i >= matrix.batch.size()) continue;
    const std::int64_t own = matrix.batch[matrix.batch.size() - 1 - i];
    result += own == 1 ? 0 : coordinate * stride;
    stride *= own;
  }
  return result;
}

double element(const std::vector<double>& data, const Matrix& matrix, std::int64_t index,
               std::int64_t row, std::int64_t column) {
  const std::int64_t base = index * matrix.rows * matrix.columns;
  const std::int64_t offset =
      matrix.transposed ? column * matrix.rows + row : row * matrix.columns + column;
  return data[static_cast<std::size_t>(base + offset)];
}

void check(const Case& test, loci_dtype dtype, const std::string& implementation) {
  SCOPED_TRACE(implementation + " " + dtype_text(dtype) + " " + ::testing::PrintToString(test.x) +
               (test.transpose_x ? "T" : "") + " " + ::testing::PrintToString(test.y) +
               (test.transpose_y ? "T" : ""));
  const Matrix x = read(test.x, test.transpose_x, true);
  const Matrix y = read(test.y, test.transpose_y, false);
  Dims batch(std::max(x.batch.size(), y.batch.size()));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::int64_t a = i < x.batch.size() ? x.batch[x.batch.size() - 1 - i] : 1;
    const std::int64_t b = i < y.batch.size() ? y.batch[y.batch.size() - 1 - i] : 1;
    batch[batch.size() - 1 - i] = a == 1 ? b : a;
  }
  Dims out = batch;
  if (!x.vector) out.push_back(x.rows);
  if (!y.vector) out.push_back(y.columns);

  const Value left = random_value(dtype, test.x, -1, 1, 1);
  const Value right = random_value(dtype, test.y, -1, 1, 2);
  const auto a = to_doubles(left);
  const auto b = to_doubles(right);
  std::int64_t batches = 1;
  for (const std::int64_t extent : batch) batches *= extent;
  std::vector<double> expected;
  for (std::int64_t i = 0; i < batches; ++i) {
    for (std::int64_t m = 0; m < x.rows; ++m) {
      for (std::int64_t n = 0; n < y.columns; ++n) {
        double sum = 0;
        for (std::int64_t k = 0; k < x.columns; ++k) {
          sum += element(a, x, matrix_index(x, batch, i), m, k) *
                 element(b, y, matrix_index(y, batch, i), k, n);
        }
        expected.push_back(sum);
      }
    }
  }
  const auto actual =
      run_one({"matmul",
               {left, right},
               {{dtype, out}},
               {{"transpose_x", test.transpose_x}, {"transpose_y", test.transpose_y}},
               {},
               implementation});
  const double compute = std::min(epsilon(dtype), epsilon(LOCI_DTYPE_F32));
  expect_near(actual, expected, 2 * epsilon(dtype),
              16 * compute * std::sqrt(static_cast<double>(x.columns) + 1));
}

const std::vector<Case>& small_cases() {
  static const std::vector<Case> cases = {
      {{1, 1}, {1, 1}},
      {{3, 4}, {4, 5}},
      {{4, 3}, {4, 5}, true, false},
      {{3, 4}, {5, 4}, false, true},
      {{4, 3}, {5, 4}, true, true},
      {{7}, {7}},
      {{7}, {7, 5}},
      {{3, 7}, {7}},
      {{2, 3, 7}, {7}},
      {{7}, {2, 7, 5}},
      {{2, 3, 4}, {4, 5}},
      {{2, 1, 3, 4}, {3, 4, 5}},
      {{3, 4}, {2, 4, 5}},
      {{0, 4}, {4, 5}},
      {{3, 0}, {0, 5}},
      {{2, 3, 4}, {0, 4, 5}},
  };
  return cases;
}

const std::vector<Case>& large_cases() {
  static const std::vector<Case> cases = {
      {{97, 130}, {130, 70}},
      {{130, 97}, {130, 70}, true, false},
      {{97, 130}, {70, 130}, false, true},
      {{130, 97}, {70, 130}, true, true},
      {{6, 600}, {600, 300}},
      {{200, 31}, {31, 9}},
      {{3, 65, 40}, {3, 40, 33}},
      {{3, 40, 65}, {3, 33, 40}, true, true},
      {{2, 3, 50, 40}, {3, 40, 30}},
      {{2, 1, 50, 40}, {1, 3, 40, 30}},
      {{4, 50, 40}, {40, 30}},
      {{50, 40}, {4, 40, 30}},
  };
  return cases;
}

TEST(Matmul, PortableKernelHandlesEveryShapeAndDtype) {
  for (const loci_dtype dtype : kFloats) {
    for (const Case& test : small_cases()) {
      if (test.y == Dims{0, 4, 5}) continue;
      check(test, dtype, "portable");
    }
    for (const Case& test : large_cases()) check(test, dtype, "portable");
  }
}

// With numbers near both ends of the range, so that products and sums overflow.
template <class T>
void check_wrapping(loci_dtype dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  SCOPED_TRACE(std::string(dtype_text(dtype)) + " " + std::to_string(m) + " x " +
               std::to_string(n));
  const auto numbers = [](std::int64_t count, std::uint64_t seed) {
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values) {
      seed = seed * 6364136223846793005U + 1442695040888963407U;
      value = static_cast<T>(seed >> 8U);
    }
    return values;
  };
  const std::vector<T> x = numbers(m * k, 1);
  const std::vector<T> y = numbers(k * n, 2);
  const auto value_from = [&](const std::vector<T>& values, const Dims& dims) {
    Value value = empty_like(dtype, dims);
    std::memcpy(value.bytes.data(), values.data(), value.bytes.size());
    return value;
  };
  const std::vector<Value> outputs = run({"matmul",
                                          {value_from(x, {m, k}), value_from(y, {k, n})},
                                          {{dtype, {m, n}}},
                                          {{"transpose_x", false}, {"transpose_y", false}}});
  for (std::int64_t i = 0; i < m * n; ++i) {
    std::uint64_t sum = 0;
    for (std::int64_t q = 0; q < k; ++q) {
      sum += static_cast<std::uint64_t>(x[static_cast<std::size_t>(i / n * k + q)]) *
             static_cast<std::uint64_t>(y[static_cast<std::size_t>(q * n + i % n)]);
    }
    T got;
    std::memcpy(&got, outputs[0].bytes.data() + static_cast<std::size_t>(i) * sizeof got,
                sizeof got);
    ASSERT_EQ(got, static_cast<T>(sum)) << "element " << i;
  }
}

// A matrix in panels, one row, and rows times columns that lie side by side.
template <class T>
void check_wrapping(loci_dtype dtype) {
  check_wrapping<T>(dtype, 33, 70, 300);
  check_wrapping<T>(dtype, 1, 70, 65);
  check_wrapping<T>(dtype, 9, 1, 65);
}

TEST(Matmul, IntegersWrap) {
  check_wrapping<std::int8_t>(LOCI_DTYPE_I8);
  check_wrapping<std::int16_t>(LOCI_DTYPE_I16);
  check_wrapping<std::int32_t>(LOCI_DTYPE_I32);
  check_wrapping<std::int64_t>(LOCI_DTYPE_I64);
  check_wrapping<std::uint8_t>(LOCI_DTYPE_U8);
  check_wrapping<std::uint16_t>(LOCI_DTYPE_U16);
  check_wrapping<std::uint32_t>(LOCI_DTYPE_U32);
  check_wrapping<std::uint64_t>(LOCI_DTYPE_U64);
}

TEST(Matmul, PortableKernelSplitsLargeProductsAmongThreads) {
  check({{300, 600}, {600, 520}}, LOCI_DTYPE_F32, "portable");
  check({{1000}, {1000, 999}}, LOCI_DTYPE_F32, "portable");
  check({{999, 1000}, {1000}}, LOCI_DTYPE_F32, "portable");
}

TEST(Matmul, OneDnnKernelHandlesEveryShape) {
  for (const loci_dtype dtype : kOneDnnFloats) {
    for (const Case& test : large_cases()) check(test, dtype, "onednn");
  }
}

TEST(Matmul, OneDnnTakesProductsOfAnyOfItsDtypes) {
  for (const loci_dtype dtype : kOneDnnFloats) {
    const Call call{"matmul",
                    {empty_like(dtype, {97, 130}), empty_like(dtype, {130, 70})},
                    {{dtype, {97, 70}}},
                    {{"transpose_x", false}, {"transpose_y", false}}};
    EXPECT_EQ(cpu_plugin().implementation_of(call), "onednn") << dtype_text(dtype);
  }
}

// In bfloat16 each step of the sum from 128 on would be lost, in float16 from 1,024.
TEST(Matmul, SumsOfHalvesAreRoundedOnce) {
  for (const char* implementation : {"portable", "onednn"}) {
    for (const loci_dtype dtype : {LOCI_DTYPE_BF16, LOCI_DTYPE_F16}) {
      const Value x = value_of(dtype, {2, 2048}, std::vector<double>(4096, 0.5));
      const Value y = value_of(dtype, {2048, 32}, std::vector<double>(65536, 1.5));
      EXPECT_EQ(run_one({"matmul",
                         {x, y},
                         {{dtype, {2, 32}}},
                         {{"transpose_x", false}, {"transpose_y", false}},
                         {},
                         implementation}),
                std::vector<double>(64, 1536))
          << implementation << " " << dtype_text(dtype);
    }
  }
}

TEST(Matmul, PreparedKernelsAreReentrant) {
  for (const char* implementation : {"portable", "onednn"}) {
    const Value x = random_value(LOCI_DTYPE_F32, {100, 100}, -1, 1);
    Call call{"matmul",
              {x, x},
              {{LOCI_DTYPE_F32, {100, 100}}},
              {{"transpose_x", false}, {"transpose_y", true}}};
    call.implementation = implementation;
    call.threads = 4;
    call.launches = 20;
    EXPECT_EQ(run(call).size(), 1U);
  }
}

TEST(Mul, FlattensBothOperands) {
  for (const char* implementation : {"portable", "onednn"}) {
    const Value x = random_value(LOCI_DTYPE_F32, {6, 7, 3, 4}, -1, 1, 1);
    const Value y = random_value(LOCI_DTYPE_F32, {4, 3, 20, 10}, -1, 1, 2);
    const auto actual =
        run_one({"mul",
                 {x, y},
                 {{LOCI_DTYPE_F32, {6, 7, 20, 10}}},
                 {{"x_num_col_dims", std::int64_t{2}}, {"y_num_col_dims", std::int64_t{2}}},
                 {},
                 implementation});
    const auto a = to_doubles(x);
    const auto b = to_doubles(y);
    std::vector<double> expected(42 * 200);
    for (std::size_t m = 0; m < 42; ++m) {
      for (std::size_t n = 0; n < 200; ++n) {
        for (std::size_t k = 0; k < 12; ++k) {
          expected[m * 200 + n] += a[m * 12 + k] * b[k * 200 + n];
        }
      }
    }
    expect_near(actual, expected, 2 * epsilon(LOCI_DTYPE_F32), 1e-6);
  }
}

}  // namespace
}  // namespace loci::testing
