#include "tools/cuda_double/driver/kernel_error.h"

#include <fmt/format.h>

#include "tools/cuda_double/driver/driver_error.h"
#include "tools/cuda_double/memory/device_memory.h"
#include "tools/cuda_double/ptx/kernel_fault.h"

namespace loci::cuda_double {
namespace {

CUresult code_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kOutOfBounds:
    case FaultKind::kNoPeerAccess:
    case FaultKind::kUseAfterFree: return CUDA_ERROR_ILLEGAL_ADDRESS;
    case FaultKind::kMisaligned: return CUDA_ERROR_MISALIGNED_ADDRESS;
    case FaultKind::kWrongSpace: return CUDA_ERROR_INVALID_ADDRESS_SPACE;
    case FaultKind::kAssertion: return CUDA_ERROR_ASSERT;
    case FaultKind::kDeadlock:
    case FaultKind::kInstructionLimit: return CUDA_ERROR_LAUNCH_TIMEOUT;
    case FaultKind::kUnsupported: return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case FaultKind::kCallDepth: return CUDA_ERROR_HARDWARE_STACK_ERROR;
    case FaultKind::kLaunch: return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    default: return CUDA_ERROR_LAUNCH_FAILED;
  }
}

}  // namespace

KernelError current_kernel_error(const std::string& what) {
  try {
    throw;
  } catch (const KernelFault& fault) {
    return {code_of(fault.kind()), fmt::format("{}: {}", what, fault.what())};
  } catch (const MemoryError& error) {
    return {CUDA_ERROR_ILLEGAL_ADDRESS, fmt::format("{}: {}", what, error.what())};
  } catch (const DriverError& error) {
    return {error.code(), fmt::format("{}: {}", what, error.what())};
  } catch (const std::exception& error) {
    return {CUDA_ERROR_UNKNOWN, fmt::format("{}: {}", what, error.what())};
  }
}

}  // namespace loci::cuda_double
