#include "kernels/matmul/cublaslt_matrices.h"

#include <algorithm>
#include <array>

namespace loci::cuda {

CublasLtMatrices cublaslt_matrices(const sdk::MatmulShape& shape) {
  const auto& [batch, m, n, k] = shape.sizes;
  const bool has_steps = batch > 1 && shape.batch.rank == 1;
  const auto steps = has_steps ? shape.batch.strides[0] : std::array<std::int64_t, 2>{0, 0};
  CublasLtMatrices matrices{{n, k, std::max(shape.y_row, n), steps[1]},
                            {k, m, std::max(shape.x_row, k), steps[0]},
                            {n, m, n, m * n}};
  if (shape.y_column != 1) {
    matrices.transpose_a = CUBLAS_OP_T;
    matrices.a = {k, n, std::max(shape.y_column, k), steps[1]};
  }
  if (shape.x_column != 1) {
    matrices.transpose_b = CUBLAS_OP_T;
    matrices.b = {m, k, std::max(shape.x_column, m), steps[0]};
  }
  matrices.batch = static_cast<std::int32_t>(batch);
  return matrices;
}

bool are_of_vectors(const CublasLtMatrices& matrices, std::int64_t lanes) {
  const auto is_of_vectors = [&](const CublasLtMatrix& matrix) {
    const bool has_steps = matrices.batch > 1;
    return matrix.leading % lanes == 0 && (!has_steps || matrix.batch_step % lanes == 0);
  };
  const bool is_transposed = matrices.transpose_a == CUBLAS_OP_T;
  const std::int64_t terms = is_transposed ? matrices.a.rows : matrices.a.columns;
  return terms % lanes == 0 && is_of_vectors(matrices.a) && is_of_vectors(matrices.b) &&
         is_of_vectors(matrices.d);
}

}  // namespace loci::cuda
