#include "tools/cuda_double/cublaslt/handle.h"

#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "tools/cuda_double/cublaslt/refusal.h"

extern "C" const unsigned char loci_cublaslt_product[];

namespace loci::cublaslt_double {
namespace {

struct Handles {
  std::mutex mutex;
  std::map<cublasLtHandle_t, std::unique_ptr<Handle>> all;
};

// Not destroyed at the end of the process, when the driver may be gone.
Handles& handles() {
  static auto& instance = *new Handles;
  return instance;
}

void require_initialised(bool holds, const char* why) {
  if (!holds) throw Refusal(CUBLAS_STATUS_NOT_INITIALIZED, why);
}

// It would compute on a real device too, but slowly, and pass for the library.
void require_emulated() {
  CUdevice device = 0;
  std::array<char, 256> name{};
  require_initialised(
      cuCtxGetDevice(&device) == CUDA_SUCCESS &&
          cuDeviceGetName(name.data(), static_cast<int>(name.size()), device) == CUDA_SUCCESS,
      "the driver gave no name of the device");
  require_initialised(std::string(name.data()).find("(emulated)") != std::string::npos,
                      "the device is no emulated one; take the library of the CUDA toolkit");
}

}  // namespace

Handle::Handle() {
  const bool has_context = cuCtxGetCurrent(&context_) == CUDA_SUCCESS && context_ != nullptr;
  require_initialised(has_context, "no context is current");
  require_emulated();
  require_initialised(cuModuleLoadData(&module_, loci_cublaslt_product) == CUDA_SUCCESS,
                      "its kernels could not be loaded");
}

// In a context that is gone its module is too.
Handle::~Handle() {
  if (cuCtxPushCurrent(context_) != CUDA_SUCCESS) return;
  cuModuleUnload(module_);
  CUcontext popped = nullptr;
  cuCtxPopCurrent(&popped);
}

CUfunction Handle::function(const std::string& name) const {
  CUfunction found = nullptr;
  if (cuModuleGetFunction(&found, module_, name.c_str()) != CUDA_SUCCESS) {
    throw Refusal(CUBLAS_STATUS_EXECUTION_FAILED, "the driver does not give " + name);
  }
  return found;
}

void Handle::require_current() const {
  CUcontext current = nullptr;
  cuCtxGetCurrent(&current);
  require(current == context_, "another context is current than the handle's");
}

cublasLtHandle_t Handle::create() {
  auto made = std::make_unique<Handle>();
  auto* const handle = reinterpret_cast<cublasLtHandle_t>(made.get());
  const std::lock_guard lock(handles().mutex);
  handles().all.emplace(handle, std::move(made));
  return handle;
}

Handle& Handle::of(cublasLtHandle_t handle) {
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().all.find(handle);
  require_initialised(found != handles().all.end(), "there is no such handle");
  return *found->second;
}

void Handle::destroy(cublasLtHandle_t handle) {
  of(handle);
  std::unique_ptr<Handle> gone;
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().all.find(handle);
  if (found == handles().all.end()) return;
  gone = std::move(found->second);
  handles().all.erase(found);
}

}  // namespace loci::cublaslt_double
