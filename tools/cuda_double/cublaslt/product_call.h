// A launch of the double's kernels; for both sides of it. Steps are in elements.
#pragma once

#include <cstdint>

namespace loci::cublaslt_double {

struct Matrix {
  std::uint64_t address;
  std::int64_t row_step;
  std::int64_t column_step;
  std::int64_t batch_step;
};

struct ProductCall {
  Matrix a;  // op(A)
  Matrix b;  // op(B)
  Matrix c;
  Matrix d;
  std::int64_t batch;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  double alpha;
  double beta;               // 0: C is not read
  std::uint64_t bias;        // of each row of D; 0: none
  std::uint32_t activation;  // 0: none, 1: ReLU, 2: GELU
  std::uint32_t parts;       // of the sums
  std::uint32_t is_rounded;  // before anything is added to it, and then once more
  std::uint64_t workspace;   // parts * batch * n * m sums, unless there is one part
};

}  // namespace loci::cublaslt_double
