// cuBLASLt called directly, as a program would that knows nothing of Loci.
#pragma once

#include <cublasLt.h>

#include <cstdint>

#include "tests/bench/cuda_bench.h"

namespace loci::bench {

// [m, k] by [k, n] of float32, float16 or bfloat16, all by rows, with sums of float32, or products
// by TF32 where `compute` says so; x and y stay the caller's, on the device. The library is the one
// that the plugin opens, by the same names. Throws std::runtime_error.
class RawProduct {
 public:
  RawProduct(cudaDataType_t type, cublasComputeType_t compute, std::int64_t m, std::int64_t n,
             std::int64_t k, const void* x, const void* y);
  ~RawProduct();
  RawProduct(const RawProduct&) = delete;
  RawProduct& operator=(const RawProduct&) = delete;

  void enqueue(CUstream stream) const;

 private:
  void describe(cublasLtMatrixLayoutOpaque_t* layout, std::int64_t rows,
                std::int64_t columns) const;
  void choose();

  cudaDataType_t type_;
  const void* x_;
  const void* y_;
  RawMemory out_;
  RawMemory workspace_;
  cublasLtHandle_t handle_ = nullptr;
  // The functions take them as mutable, and do not change them.
  mutable cublasLtMatmulDescOpaque_t operation_{};
  mutable cublasLtMatrixLayoutOpaque_t a_{};
  mutable cublasLtMatrixLayoutOpaque_t b_{};
  mutable cublasLtMatrixLayoutOpaque_t d_{};
  cublasLtMatmulHeuristicResult_t chosen_{};
};

}  // namespace loci::bench
