// A handle of cuBLASLt: the double's kernels in the context that was current when it was created.
#pragma once

#include <cublasLt.h>
#include <cuda.h>

#include <string>

namespace loci::cublaslt_double {

class Handle {
 public:
  // Throws Refusal without a current context, and where the device is no emulated one.
  Handle();
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // "product_f32". Throws Refusal.
  [[nodiscard]] CUfunction function(const std::string& name) const;
  // Throws Refusal where another context is current.
  void require_current() const;

  // The handles that exist, by what the API gives out. Any thread may call. of() throws Refusal for
  // one that is none, or none any more.
  static cublasLtHandle_t create();
  static Handle& of(cublasLtHandle_t handle);
  static void destroy(cublasLtHandle_t handle);

 private:
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
};

}  // namespace loci::cublaslt_double
