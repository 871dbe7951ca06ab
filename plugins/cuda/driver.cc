#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <loci/plugin/error.hpp>
#include <mutex>
#include <string_view>

namespace loci::cuda {
namespace {

// CUDA 12.4: what the library is built against at least.
constexpr int kOldest = 12040;

std::atomic<bool> is_initialised{false};
std::atomic<bool> is_forked{false};

void note_fork() {
  if (is_initialised) is_forked = true;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// The name that a macro of cuda.h makes of it.
#define LOCI_CUDA_TEXT(name) #name
#define LOCI_CUDA_NAME(name) LOCI_CUDA_TEXT(name)

// A version that came with CUDA 12.8, of a function that drivers had before by its plain name.
void* find_function(void* library, const char* name) {
  if (void* found = ::dlsym(library, name)) return found;
  const bool has_plain_form = std::string_view(name) == "cuEventElapsedTime_v2";
  return has_plain_form ? ::dlsym(library, "cuEventElapsedTime") : nullptr;
}

// Empty, or the first function that is not there.
std::string find_functions(void* library, DriverFunctions& functions) {
#define LOCI_CUDA_FUNCTION(name)                                                                \
  functions.name =                                                                              \
      reinterpret_cast<decltype(functions.name)>(find_function(library, LOCI_CUDA_NAME(name))); \
  if (functions.name == nullptr) return LOCI_CUDA_NAME(name);
#include "driver_functions.inc"
#undef LOCI_CUDA_FUNCTION
  return {};
}

}  // namespace

Driver::Driver(const std::string& path) {
  static std::once_flag watched;
  std::call_once(watched, [] { ::pthread_atfork(nullptr, nullptr, &note_fork); });
  open(path);
}

void Driver::open(const std::string& path) {
  const std::string file = path.empty() ? "libcuda.so.1" : path;
  library_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library_ == nullptr) {
    const char* cause = ::dlerror();
    unavailable_ = "no CUDA driver (" + std::string(cause == nullptr ? file.c_str() : cause) +
                   "); install that of the graphics processor" +
                   (path.empty() ? "" : ", or mend LOCI_CUDA_DRIVER");
    return;
  }
  const std::string missing = find_functions(library_, functions_);
  if (missing.empty()) return initialise(path, file);
  refuse_old(path, file + " has no " + missing);
}

void Driver::refuse_old(const std::string& path, const std::string& why) {
  unavailable_ = "no CUDA driver of " + version_text(kOldest) + " or newer (" + why +
                 "); update the driver of the graphics processor" +
                 (path.empty() ? "" : ", or mend LOCI_CUDA_DRIVER");
}

void Driver::initialise(const std::string& path, const std::string& file) {
  int version = 0;
  const CUresult asked = functions_.cuDriverGetVersion(&version);
  if (asked != CUDA_SUCCESS) return refuse("cuDriverGetVersion", asked);
  version_ = version_text(version);
  if (version < kOldest) {
    return refuse_old(path, file + " is one of " + version_);
  }
  const CUresult status = functions_.cuInit(0);
  if (status == CUDA_SUCCESS) {
    is_initialised = true;
    return;
  }
  if (status != CUDA_ERROR_NO_DEVICE) return refuse("cuInit", status);
  unavailable_ = "no CUDA device; see what nvidia-smi lists, and CUDA_VISIBLE_DEVICES";
}

void Driver::refuse(const std::string& function, CUresult status) {
  const char* name = nullptr;
  functions_.cuGetErrorName(status, &name);
  unavailable_ = "no CUDA driver that works (" + function + ": " +
                 (name == nullptr ? "an unknown error" : name) + "); see what nvidia-smi says";
}

void Driver::require_same_process() const {
  if (!is_forked.load(std::memory_order_relaxed)) return;
  throw sdk::Error(LOCI_CODE_UNAVAILABLE,
                   "[cuda] this process was forked after CUDA was initialised, and the driver does "
                   "not work in it; fork before the first use of a CUDA device, or start a new "
                   "program (exec)");
}

}  // namespace loci::cuda
