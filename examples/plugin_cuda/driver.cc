#include "driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <loci/plugin/error.hpp>

namespace mycuda {
namespace {

#define MYCUDA_TEXT(name) #name
#define MYCUDA_NAME(name) MYCUDA_TEXT(name)

Driver open_driver() {
  Driver driver;
  const char* path = std::getenv("LOCI_CUDA_DRIVER");
  void* library = dlopen(path == nullptr ? "libcuda.so.1" : path, RTLD_NOW | RTLD_NODELETE);
  if (library == nullptr) {
    driver.unavailable = "no CUDA driver";
    return driver;
  }
#define MYCUDA_FUNCTION(name)                                                               \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, MYCUDA_NAME(name))); \
  if (driver.name == nullptr) driver.unavailable = "the CUDA driver has no " MYCUDA_NAME(name);
#include "driver_functions.inc"
#undef MYCUDA_FUNCTION
  if (driver.unavailable.empty() && driver.cuInit(0) != CUDA_SUCCESS) {
    driver.unavailable = "the CUDA driver finds no device";
  }
  return driver;
}

// After these the context does nothing any more.
bool is_sticky(CUresult status) {
  return status == CUDA_ERROR_ILLEGAL_ADDRESS || status == CUDA_ERROR_MISALIGNED_ADDRESS ||
         status == CUDA_ERROR_ASSERT || status == CUDA_ERROR_LAUNCH_FAILED ||
         status == CUDA_ERROR_ILLEGAL_INSTRUCTION || status == CUDA_ERROR_LAUNCH_TIMEOUT;
}

}  // namespace

const Driver& driver() {
  static const Driver kDriver = open_driver();
  return kDriver;
}

void check(CUresult status, const char* action) {
  if (status == CUDA_SUCCESS) return;
  const char* name = nullptr;
  driver().cuGetErrorName(status, &name);
  const std::string message = std::string("[mycuda] ") + action + " ended with " +
                              (name == nullptr ? "an unknown status" : name);
  if (status == CUDA_ERROR_OUT_OF_MEMORY) {
    throw loci::sdk::Error(LOCI_CODE_OUT_OF_MEMORY, message + "; use smaller tensors");
  }
  if (is_sticky(status)) {
    throw loci::sdk::Error(LOCI_CODE_DEVICE_LOST, message + "; start the program again");
  }
  throw loci::sdk::Error(LOCI_CODE_FAILED, message + "; see what nvidia-smi says");
}

}  // namespace mycuda
