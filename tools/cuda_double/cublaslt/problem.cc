#include "tools/cuda_double/cublaslt/problem.h"

#include <fmt/format.h>

namespace loci::cublaslt_double {
namespace {

std::uint32_t bytes_of(std::int32_t type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    case CUDA_R_32F: return 4;
    default: return 8;
  }
}

bool is_known_epilogue(std::uint32_t epilogue) {
  switch (epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_BIAS: return true;
    default: return false;
  }
}

// The types that go together. The double has no epilogue of float64, so that its users are seen to
// do without one.
void check_types(const Problem& problem) {
  const std::int32_t compute = problem.operation.compute;
  const std::int32_t scale = problem.operation.scale;
  const std::uint32_t epilogue = problem.operation.epilogue;
  const std::int32_t type = problem.a.type;
  require_supported(problem.b.type == type, "A and B differ in type");
  require_supported(problem.c.type == problem.d.type, "C and D differ in type");
  const bool is_half = type == CUDA_R_16F || type == CUDA_R_16BF;
  require_supported(problem.d.type == type || (is_half && problem.d.type == CUDA_R_32F),
                    "D is neither of the type of A and B nor of that of halves' sums");
  const bool is_float64 = compute == CUBLAS_COMPUTE_64F && scale == CUDA_R_64F &&
                          type == CUDA_R_64F && epilogue == CUBLASLT_EPILOGUE_DEFAULT;
  const bool is_float32 =
      compute == CUBLAS_COMPUTE_32F && scale == CUDA_R_32F && (type == CUDA_R_32F || is_half);
  const bool is_tf32 =
      compute == CUBLAS_COMPUTE_32F_FAST_TF32 && scale == CUDA_R_32F && type == CUDA_R_32F;
  require_supported(is_float64 || is_float32 || is_tf32, "no product of these types");
  require_supported(is_known_epilogue(epilogue), "no such epilogue");
}

void check_layout(const Layout& layout, std::int64_t rows, std::int64_t columns, std::int64_t batch,
                  char name) {
  require_supported(layout.order == CUBLASLT_ORDER_COL, "an order that is not by columns");
  require(layout.rows == static_cast<std::uint64_t>(rows) &&
              layout.columns == static_cast<std::uint64_t>(columns),
          fmt::format("{} is [{}, {}], and [{}, {}] fits", name, layout.rows, layout.columns, rows,
                      columns));
  require(layout.leading >= rows,
          fmt::format("{} has {} rows and a leading dimension of {}", name, rows, layout.leading));
  require(layout.batch == batch,
          fmt::format("{} has a batch count of {}, and D one of {}", name, layout.batch, batch));
}

bool is_transposed(std::int32_t operation) {
  require_supported(operation == CUBLAS_OP_N || operation == CUBLAS_OP_T, "no such transpose");
  return operation == CUBLAS_OP_T;
}

// FNV-1a.
class Fingerprint {
 public:
  template <class T>
  void add(const T& value) {
    unsigned char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    for (const unsigned char byte : bytes) value_ = (value_ ^ byte) * 0x100000001b3;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace

std::uint32_t Problem::element_bytes(int matrix) const {
  constexpr int kC = 2;
  return bytes_of(matrix < kC ? a.type : d.type);
}
std::uint32_t Problem::sum_bytes() const { return bytes_of(operation.scale); }

bool Problem::are_columns_aligned(std::uint32_t bytes) const {
  const auto is_aligned = [&](const Layout& layout) {
    return layout.leading * bytes_of(layout.type) % bytes == 0 &&
           layout.batch_step * bytes_of(layout.type) % bytes == 0;
  };
  return is_aligned(a) && is_aligned(b) && is_aligned(c) && is_aligned(d);
}

std::uint64_t Problem::fingerprint() const {
  Fingerprint print;
  Operation anywhere = operation;
  anywhere.bias = 0;
  print.add(anywhere);
  for (const Layout& layout : {a, b, c, d}) print.add(layout);
  return print.value();
}

Problem problem_of(const Operation& operation, const Layout& a, const Layout& b, const Layout& c,
                   const Layout& d) {
  Problem problem{operation, a, b, c, d};
  const bool transpose_a = is_transposed(operation.transpose_a);
  const bool transpose_b = is_transposed(operation.transpose_b);
  problem.m = static_cast<std::int64_t>(d.rows);
  problem.n = static_cast<std::int64_t>(d.columns);
  problem.k = static_cast<std::int64_t>(transpose_a ? a.rows : a.columns);
  const std::int64_t m = problem.m;
  const std::int64_t n = problem.n;
  const std::int64_t k = problem.k;
  require(m > 0 && n > 0 && k > 0, "a matrix has no elements");
  check_layout(a, transpose_a ? k : m, transpose_a ? m : k, d.batch, 'A');
  check_layout(b, transpose_b ? n : k, transpose_b ? k : n, d.batch, 'B');
  check_layout(c, m, n, d.batch, 'C');
  check_layout(d, m, n, d.batch, 'D');
  check_types(problem);
  return problem;
}

}  // namespace loci::cublaslt_double
