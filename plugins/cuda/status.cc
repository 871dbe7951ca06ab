#include "status.h"

namespace loci::cuda {
namespace {

struct StatusMeaning {
  loci_code code;
  const char* remedy;
};

StatusMeaning meaning_of(CUresult status) {
  switch (status) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return {LOCI_CODE_OUT_OF_MEMORY,
              "free tensors or loci::empty_cache(), use smaller ones, or see with nvidia-smi who "
              "else uses the device"};
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED: return {LOCI_CODE_UNAVAILABLE, "see what nvidia-smi says"};
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_PEER_ACCESS_UNSUPPORTED:
      return {LOCI_CODE_UNSUPPORTED, "another device may do it"};
    case CUDA_ERROR_NOT_READY: return {LOCI_CODE_INVALID_ARGUMENT, "wait for the work first"};
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
    case CUDA_ERROR_CAPTURED_EVENT:
      return {LOCI_CODE_INVALID_ARGUMENT,
              "a stream that records a graph can have no such call; do it before the recording or "
              "after it"};
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_INVALID_PTX:
      return {LOCI_CODE_INCOMPATIBLE,
              "update the driver, or build the plugin for this device's architecture"};
    default: return {LOCI_CODE_INTERNAL, "report it to the authors of Loci"};
  }
}

}  // namespace

std::string status_text(const Driver& driver, CUresult status) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver->cuGetErrorName(status, &name);
  driver->cuGetErrorString(status, &text);
  const std::string number = std::to_string(static_cast<int>(status));
  if (name == nullptr) return "CUDA status " + number;
  return std::string(name) + " (" + number + (text == nullptr ? "" : ", ") +
         (text == nullptr ? "" : text) + ")";
}

bool is_sticky(CUresult status) {
  switch (status) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_UNKNOWN: return true;
    default: return false;
  }
}

sdk::Error status_error(const Driver& driver, CUresult status, const std::string& where,
                        const std::string& action) {
  const StatusMeaning meaning = meaning_of(status);
  return {meaning.code, "[cuda] " + where + (where.empty() ? "" : ": ") + action + " ended with " +
                            status_text(driver, status) + "; " + meaning.remedy};
}

}  // namespace loci::cuda
