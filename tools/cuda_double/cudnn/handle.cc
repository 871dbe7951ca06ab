#include "tools/cuda_double/cudnn/handle.h"

#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "tools/cuda_double/cudnn/refusal.h"

extern "C" const unsigned char loci_cudnn_convolve[];

namespace loci::cudnn_double {
namespace {

struct Handles {
  std::mutex mutex;
  std::map<Handle*, std::unique_ptr<Handle>> all;
};

// Not destroyed at the end of the process, when the driver may be gone.
Handles& handles() {
  static auto& instance = *new Handles;
  return instance;
}

// It would compute on a real device too, but slowly, and pass for the library.
void require_emulated() {
  CUdevice device = 0;
  std::array<char, 256> name{};
  require(cuCtxGetDevice(&device) == CUDA_SUCCESS &&
              cuDeviceGetName(name.data(), static_cast<int>(name.size()), device) == CUDA_SUCCESS,
          "the driver gave no name of the device", kNotInitialized);
  require(std::string(name.data()).find("(emulated)") != std::string::npos,
          "the device is no emulated one; take NVIDIA's library", kNotInitialized);
}

}  // namespace

Handle::Handle() {
  const bool has_context = cuCtxGetCurrent(&context_) == CUDA_SUCCESS && context_ != nullptr;
  require(has_context, "no context is current", kNotInitialized);
  require_emulated();
  require(cuModuleLoadData(&module_, loci_cudnn_convolve) == CUDA_SUCCESS,
          "its kernels could not be loaded", kNotInitialized);
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
    throw Refusal(kExecutionFailedDriver, "the driver does not give " + name);
  }
  return found;
}

Handle* Handle::create() {
  auto made = std::make_unique<Handle>();
  Handle* const handle = made.get();
  const std::lock_guard lock(handles().mutex);
  handles().all.emplace(handle, std::move(made));
  return handle;
}

Handle& Handle::of(Handle* handle) {
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().all.find(handle);
  require(found != handles().all.end(), "there is no such handle", kNotInitialized);
  return *found->second;
}

void Handle::destroy(Handle* handle) {
  of(handle);
  std::unique_ptr<Handle> gone;
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().all.find(handle);
  if (found == handles().all.end()) return;
  gone = std::move(found->second);
  handles().all.erase(found);
}

Handle::Use::Use(Handle* handle) : handle_(Handle::of(handle)) {
  require(!handle_.is_used_.exchange(true), "two threads use one handle at once");
  CUcontext current = nullptr;
  const bool is_told = cuCtxGetCurrent(&current) == CUDA_SUCCESS;
  if (is_told && current == handle_.context_) return;
  handle_.is_used_ = false;
  require(is_told, "the driver does not tell its context", kExecutionFailedDriver);
  throw Refusal(kBadParameter, "another context is current than the handle's");
}

}  // namespace loci::cudnn_double
