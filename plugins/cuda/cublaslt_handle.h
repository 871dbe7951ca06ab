// A device's handle of cuBLASLt.
#pragma once

#include <mutex>
#include <string>

#include "cublaslt_library.h"
#include "kernels/library/tried_algorithms.h"

namespace loci::cuda {

class Device;
class Plugin;

// Made when first asked for, which may open the library. Any thread may call, and several may use
// the handle at once.
class CublasLtHandle {
 public:
  CublasLtHandle(Plugin& plugin, Device& device) : plugin_(plugin), device_(device) {}

  // Throws Error(LOCI_CODE_UNSUPPORTED) that says why there is none.
  cublasLtHandle_t get();
  // After get().
  [[nodiscard]] const CublasLtLibrary& library() const { return *library_; }
  // Throws what a status means, if it is an error.
  void check(cublasStatus_t status, const char* action) {
    if (status != CUBLAS_STATUS_SUCCESS) fail(status, action);
  }
  // Returns true if products of float32 may use TF32, as LOCI_CUDA_TF32=1 says.
  [[nodiscard]] bool uses_tf32() const;
  // Returns true if the algorithms that fit a product are tried, as LOCI_CUDA_TUNE=1 says.
  [[nodiscard]] bool tries_algorithms() const;
  [[nodiscard]] TriedAlgorithms<cublasLtMatmulHeuristicResult_t>& tried() { return tried_; }
  // Returns true if products are worth more workspace than on most devices: on sm_90 and newer.
  [[nodiscard]] bool prefers_large_workspace() const;
  // The device's context is current.
  void destroy();

 private:
  [[noreturn]] void fail(cublasStatus_t status, const char* action);
  void create();

  Plugin& plugin_;
  Device& device_;
  std::mutex mutex_;
  const CublasLtLibrary* library_ = nullptr;
  cublasLtHandle_t handle_ = nullptr;
  std::string unavailable_;
  TriedAlgorithms<cublasLtMatmulHeuristicResult_t> tried_;
};

}  // namespace loci::cuda
