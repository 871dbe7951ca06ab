// cuBLASLt, opened from LOCI_CUDA_CUBLASLT, and a product to call it with.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <string>

#include "driver_test.h"

namespace loci::cuda_rules {

// A function by its name; the library is opened by the first call. Throws where it is not there.
void* cublaslt_function(const char* name);

#define LOCI_LT(name) (reinterpret_cast<decltype(&::name)>(cublaslt_function(#name)))

// "CUBLAS_STATUS_INVALID_VALUE".
std::string name_of(cublasStatus_t status);
// Throws what came instead of success.
void must(cublasStatus_t status);

// [m, k] by [k, n], of float32 unless it is told otherwise, as the library has them: by columns,
// each from the first byte of memory of its own.
struct LtProduct {
  LtProduct(std::int64_t rows, std::int64_t columns, std::int64_t terms);
  void set_types(cudaDataType operands, cudaDataType results);
  void set_epilogue(cublasLtEpilogue_t epilogue, CUdeviceptr bias);

  // Finds an algorithm that does with so much workspace and such an alignment.
  cublasStatus_t choose(std::uint64_t workspace = 0, std::uint32_t alignment = 16);
  cublasStatus_t enqueue(cublasLtHandle_t handle, CUstream stream);

  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  cublasLtMatmulDescOpaque_t operation;
  cublasLtMatrixLayoutOpaque_t a_layout;
  cublasLtMatrixLayoutOpaque_t b_layout;
  cublasLtMatrixLayoutOpaque_t d_layout;
  cublasLtMatmulHeuristicResult_t chosen{};
  cublasLtHandle_t handle = nullptr;  // for choose()
  CUdeviceptr a = 0;
  CUdeviceptr b = 0;
  CUdeviceptr c = 0;  // 0: as d
  CUdeviceptr d = 0;
  CUdeviceptr workspace = 0;
  std::size_t workspace_bytes = 0;
  float alpha = 1;
  float beta = 0;
};

}  // namespace loci::cuda_rules
