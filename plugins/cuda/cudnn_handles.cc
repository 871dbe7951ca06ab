#include "cudnn_handles.h"

#include "device.h"
#include "plugin.h"

namespace loci::cuda {

void CudnnHandles::require() {
  const std::lock_guard lock(mutex_);
  if (!is_ready_ && unavailable_.empty()) create_first();
  if (!is_ready_) throw sdk::Error(LOCI_CODE_UNSUPPORTED, unavailable_);
}

void CudnnHandles::create_first() {
  library_ = &plugin_.cudnn();
  unavailable_ = library_->unavailable();
  if (!unavailable_.empty()) return;
  const CurrentContext current(device_);
  cudnn::Handle handle = nullptr;
  const cudnn::Status status = create(handle);
  if (status == 0) {
    idle_.push_back(handle);
    is_ready_ = true;
    return;
  }
  unavailable_ = "no cuDNN that works (cudnnCreate: " + library_->status_text(status) +
                 "); it needs a driver as new as itself and some memory of the device";
}

cudnn::Status CudnnHandles::create(cudnn::Handle& handle) {
  const RelaxedCapture relaxed(device_.driver());
  return (*library_)->cudnnCreate(&handle);
}

cudnn::Handle CudnnHandles::idle_or_new() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      cudnn::Handle handle = idle_.back();
      idle_.pop_back();
      return handle;
    }
  }
  cudnn::Handle handle = nullptr;
  check(create(handle), "making a handle of cuDNN");
  return handle;
}

CudnnHandles::Taken CudnnHandles::take() { return {*this, idle_or_new()}; }

CudnnHandles::Taken CudnnHandles::take(CUstream stream) {
  cudnn::Handle handle = idle_or_new();
  const cudnn::Status status = (*library_)->cudnnSetStream(handle, stream);
  if (status != 0) give_back(handle);
  check(status, "giving cuDNN its stream");
  return {*this, handle};
}

void CudnnHandles::give_back(cudnn::Handle handle) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(handle);
}

void CudnnHandles::tell_refused(cudnn::Status status) const {
  plugin_.host().log(LOCI_LOG_INFO,
                     "[cuda] " + device_.place() + ": cuDNN refuses a convolution that it took (" +
                         library_->status_text(status) + "); the plugin's own kernels do it",
                     __FILE__, __LINE__);
}

bool CudnnHandles::uses_tf32() const { return plugin_.uses_tf32(); }

bool CudnnHandles::tries_algorithms() const { return plugin_.tries_algorithms(); }

void CudnnHandles::destroy() {
  const std::lock_guard lock(mutex_);
  for (cudnn::Handle handle : idle_) (*library_)->cudnnDestroy(handle);
  idle_.clear();
  is_ready_ = false;
}

// A failure of earlier work is told by whatever comes next; it is the device's then.
void CudnnHandles::fail(cudnn::Status status, const char* action) {
  if (cudnn::kind_of(status) == cudnn::StatusKind::kExecutionFailed) device_.look_for_errors();
  throw sdk::Error(LOCI_CODE_INTERNAL, "[cuda] " + device_.place() + ": " + action +
                                           " ended with " + library_->status_text(status) +
                                           "; LOCI_CUDA_CUDNN=0 has the plugin's own "
                                           "convolutions instead");
}

}  // namespace loci::cuda
