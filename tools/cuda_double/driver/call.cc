#include "tools/cuda_double/driver/call.h"

namespace loci::cuda_double {
namespace {

Context& current_context(unsigned traits) {
  const auto& contexts = ThreadState::get().contexts;
  require(!contexts.empty() && contexts.back() != nullptr, CUDA_ERROR_INVALID_CONTEXT,
          "no context is current");
  Context& context = *contexts.back();
  require(context.is_alive(), CUDA_ERROR_CONTEXT_IS_DESTROYED, "the current context is destroyed");
  if ((traits & kDespiteErrors) == 0) context.require_no_error();
  return context;
}

}  // namespace

void Call::begin(unsigned traits) {
  driver.count_call(name_);
  if ((traits & kBeforeInit) == 0) {
    require(driver.is_initialised(), CUDA_ERROR_NOT_INITIALIZED, "cuInit() was not called");
  }
  if ((traits & kNeedsContext) != 0) context_ = &current_context(traits);
  if ((traits & (kUnsafeInCapture | kSpoilsCapture)) == 0) return;
  const bool forbidden = spoil_captures(driver);
  require(!forbidden || (traits & kSpoilsCapture) != 0, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "is not allowed while a stream is captured");
}

std::shared_ptr<Stream> Call::stream(CUstream handle) {
  if (handle == CU_STREAM_PER_THREAD ||
      (handle == nullptr && ThreadState::get().null_is_own_stream)) {
    return std::static_pointer_cast<Stream>(context().of_this_thread().shared_from_this());
  }
  if (handle == nullptr || handle == CU_STREAM_LEGACY) {
    return std::static_pointer_cast<Stream>(context().legacy().shared_from_this());
  }
  return driver.registry.get<Stream>(handle);
}

std::shared_ptr<Stream> Call::work_stream(CUstream handle) {
  target_ = stream(handle);
  check_capture_allows_work(*target_);
  return target_;
}

CUresult Call::failed(CUresult code, const char* why) {
  if (target_ != nullptr && target_->capture != nullptr) target_->capture->invalidate();
  if (driver.settings.log_errors) {
    const char* name = error_name(code);
    fmt::print(stderr, "[cuda double] {}: {}: {}\n", text(), name == nullptr ? "?" : name, why);
  }
  return code;
}

}  // namespace loci::cuda_double
