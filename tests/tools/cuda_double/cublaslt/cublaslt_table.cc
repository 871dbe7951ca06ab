#include "cublaslt_table.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace loci::cuda_rules {

void* cublaslt_function(const char* name) {
  static void* const library = [] {
    const char* path = std::getenv("LOCI_CUDA_CUBLASLT");
    void* opened = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) throw std::runtime_error(path == nullptr ? "no path" : dlerror());
    return opened;
  }();
  void* found = dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(std::string("there is no ") + name);
  return found;
}

std::string name_of(cublasStatus_t status) { return LOCI_LT(cublasLtGetStatusName)(status); }

void must(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(name_of(status));
}

LtProduct::LtProduct(std::int64_t rows, std::int64_t columns, std::int64_t terms)
    : m(rows), n(columns), k(terms) {
  must(LOCI_LT(cublasLtMatmulDescInit_internal)(&operation, sizeof operation, CUBLAS_COMPUTE_32F,
                                                CUDA_R_32F));
  set_types(CUDA_R_32F, CUDA_R_32F);
}

void LtProduct::set_types(cudaDataType operands, cudaDataType results) {
  const auto describe = [](cublasLtMatrixLayoutOpaque_t& layout, cudaDataType type,
                           std::int64_t height, std::int64_t width) {
    must(LOCI_LT(cublasLtMatrixLayoutInit_internal)(&layout, sizeof layout, type,
                                                    static_cast<std::uint64_t>(height),
                                                    static_cast<std::uint64_t>(width), height));
  };
  describe(a_layout, operands, m, k);
  describe(b_layout, operands, k, n);
  describe(d_layout, results, m, n);
}

void LtProduct::set_epilogue(cublasLtEpilogue_t epilogue, CUdeviceptr bias) {
  const auto set = LOCI_LT(cublasLtMatmulDescSetAttribute);
  must(set(&operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
  must(set(&operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
}

cublasStatus_t LtProduct::choose(std::uint64_t most, std::uint32_t alignment) {
  cublasLtMatmulPreferenceOpaque_t preference;
  must(LOCI_LT(cublasLtMatmulPreferenceInit_internal)(&preference, sizeof preference));
  const auto set = LOCI_LT(cublasLtMatmulPreferenceSetAttribute);
  must(set(&preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most));
  for (const auto which :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    must(set(&preference, which, &alignment, sizeof alignment));
  }
  int count = 0;
  return LOCI_LT(cublasLtMatmulAlgoGetHeuristic)(handle, &operation, &a_layout, &b_layout,
                                                 &d_layout, &d_layout, &preference, 1, &chosen,
                                                 &count);
}

cublasStatus_t LtProduct::enqueue(cublasLtHandle_t used, CUstream stream) {
  const auto at = [](CUdeviceptr address) { return reinterpret_cast<void*>(address); };
  return LOCI_LT(cublasLtMatmul)(used, &operation, &alpha, at(a), &a_layout, at(b), &b_layout,
                                 &beta, at(c == 0 ? d : c), &d_layout, at(d), &d_layout,
                                 &chosen.algo, at(workspace), workspace_bytes, stream);
}

}  // namespace loci::cuda_rules
