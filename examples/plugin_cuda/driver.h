// The functions of the CUDA driver that this plugin calls, looked up at run time.
#pragma once

#include <cuda.h>

#include <string>

namespace mycuda {

// cuda.h renames some functions to a version ("cuMemAlloc_v2"): both the member and the name that
// is looked up are what it makes of them.
// It would indent each line more than the one before.
// clang-format off
#define MYCUDA_FUNCTIONS(X) \
  X(cuCtxPopCurrent) \
  X(cuCtxPushCurrent) \
  X(cuCtxSynchronize) \
  X(cuDeviceGet) \
  X(cuDeviceGetCount) \
  X(cuDeviceGetName) \
  X(cuDevicePrimaryCtxRelease) \
  X(cuDevicePrimaryCtxRetain) \
  X(cuDeviceTotalMem) \
  X(cuEventCreate) \
  X(cuEventDestroy) \
  X(cuEventElapsedTime) \
  X(cuEventQuery) \
  X(cuEventRecord) \
  X(cuEventSynchronize) \
  X(cuGetErrorName) \
  X(cuInit) \
  X(cuLaunchKernel) \
  X(cuMemAlloc) \
  X(cuMemFree) \
  X(cuMemGetInfo) \
  X(cuMemcpy2DAsync) \
  X(cuMemsetD16Async) \
  X(cuMemsetD2D32Async) \
  X(cuMemsetD32Async) \
  X(cuMemsetD8Async) \
  X(cuModuleGetFunction) \
  X(cuModuleLoadData) \
  X(cuModuleUnload) \
  X(cuStreamCreate) \
  X(cuStreamDestroy) \
  X(cuStreamQuery) \
  X(cuStreamSynchronize) \
  X(cuStreamWaitEvent)
// clang-format on

struct Driver {
#define MYCUDA_MEMBER(name) decltype(&::name) name = nullptr;
  MYCUDA_FUNCTIONS(MYCUDA_MEMBER)
#undef MYCUDA_MEMBER
  std::string unavailable;  // why there is none; empty where there is one
};

// Opened and initialised by the first call, from LOCI_CUDA_DRIVER or as libcuda.so.1, and kept.
const Driver& driver();

// Throws what a status means, unless it is success.
void check(CUresult status, const char* action);

}  // namespace mycuda
