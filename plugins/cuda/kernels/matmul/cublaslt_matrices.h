// The matrices of a product as cuBLASLt has them, which lie by columns. So a result by rows is the
// product of the transposed operands in the other order: out^T = y^T x^T. Its A is y, its B is x,
// and its bias, which has an element for each row of D, is that of our columns.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <loci/plugin/matmul.hpp>

namespace loci::cuda {

// Steps are in elements.
struct CublasLtMatrix {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t leading;
  std::int64_t batch_step;
};

struct CublasLtMatrices {
  CublasLtMatrix a;
  CublasLtMatrix b;
  CublasLtMatrix d;  // and C, which lies as D
  cublasOperation_t transpose_a = CUBLAS_OP_N;
  cublasOperation_t transpose_b = CUBLAS_OP_N;
  std::int32_t batch = 1;
};

[[nodiscard]] CublasLtMatrices cublaslt_matrices(const sdk::MatmulShape& shape);

// Returns true if sums and columns are of whole vectors of so many elements, and all columns begin
// at one where their matrices do.
[[nodiscard]] bool are_of_vectors(const CublasLtMatrices& matrices, std::int64_t lanes);

}  // namespace loci::cuda
