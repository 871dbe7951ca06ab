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

TEST(Matmul, PortableKernelSplitsLargeProductsAmongThreads) {
  check({{300, 600}, {600, 520}}, LOCI_DTYPE_F32, "portable");
  check({{1000}, {1000, 999}}, LOCI_DTYPE_F32, "portable");
  check({{999, 1000}, {1000}}, LOCI_DTYPE_F32, "portable");
}

TEST(Matmul, OneDnnKernelHandlesEveryShape) {
  for (const Case& test : large_cases()) check(test, LOCI_DTYPE_F32, "onednn");
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
