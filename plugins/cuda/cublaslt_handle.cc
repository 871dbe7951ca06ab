#include "cublaslt_handle.h"

#include "device.h"
#include "plugin.h"

namespace loci::cuda {

cublasLtHandle_t CublasLtHandle::get() {
  const std::lock_guard lock(mutex_);
  if (handle_ == nullptr && unavailable_.empty()) create();
  if (handle_ == nullptr) throw sdk::Error(LOCI_CODE_UNSUPPORTED, unavailable_);
  return handle_;
}

void CublasLtHandle::create() {
  library_ = &plugin_.cublaslt();
  unavailable_ = library_->unavailable();
  if (!unavailable_.empty()) return;
  const CurrentContext current(device_);
  const RelaxedCapture relaxed(device_.driver());
  const cublasStatus_t status = (*library_)->cublasLtCreate(&handle_);
  if (status == CUBLAS_STATUS_SUCCESS) return;
  handle_ = nullptr;
  unavailable_ = "no cuBLASLt that works (cublasLtCreate: " + library_->status_text(status) +
                 "); it needs a driver as new as itself and some memory of the device";
}

bool CublasLtHandle::uses_tf32() const { return plugin_.uses_tf32(); }

bool CublasLtHandle::tries_algorithms() const { return plugin_.tries_algorithms(); }

bool CublasLtHandle::prefers_large_workspace() const {
  constexpr int kHopper = 90;
  return device_.compute_capability() >= kHopper;
}

void CublasLtHandle::destroy() {
  if (handle_ != nullptr) (*library_)->cublasLtDestroy(handle_);
  handle_ = nullptr;
}

// A failure of earlier work is told by whatever comes next; it is the device's then.
void CublasLtHandle::fail(cublasStatus_t status, const char* action) {
  if (status == CUBLAS_STATUS_EXECUTION_FAILED) device_.look_for_errors();
  throw sdk::Error(LOCI_CODE_INTERNAL, "[cuda] " + device_.place() + ": " + action +
                                           " ended with " + library_->status_text(status) +
                                           "; LOCI_CUDA_CUBLASLT=0 has the plugin's own products "
                                           "instead");
}

}  // namespace loci::cuda
