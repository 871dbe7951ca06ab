// A device's handles of cuDNN.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "cudnn_library.h"
#include "kernels/library/tried_algorithms.h"

namespace loci::cuda {

class Device;
class Plugin;

// A handle is of one thread at a time, and of the stream that this one enqueues on. There are as
// many as threads ever used some at once. Any thread may call.
class CudnnHandles {
 public:
  // A handle while it is taken.
  class Taken {
   public:
    ~Taken() { owner_.give_back(handle_); }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    [[nodiscard]] cudnn::Handle get() const { return handle_; }

   private:
    friend class CudnnHandles;
    Taken(CudnnHandles& owner, cudnn::Handle handle) : owner_(owner), handle_(handle) {}
    CudnnHandles& owner_;
    const cudnn::Handle handle_;
  };

  CudnnHandles(Plugin& plugin, Device& device) : plugin_(plugin), device_(device) {}

  // Opens the library and makes a handle where this is the first call, so that launches need not.
  // Throws Error(LOCI_CODE_UNSUPPORTED) that says why there is none.
  void require();
  // After require(); the device's context is current. Throws Error.
  [[nodiscard]] Taken take();
  [[nodiscard]] Taken take(CUstream stream);
  // After require().
  [[nodiscard]] const CudnnLibrary& library() const { return *library_; }
  // Throws what a status means, if it is an error.
  void check(cudnn::Status status, const char* action) {
    if (status != 0) fail(status, action);
  }
  // Logs that the library refuses, when it is to launch it, what it took before; which is rare.
  void tell_refused(cudnn::Status status) const;
  // Returns true if convolutions of float32 may use TF32, as LOCI_CUDA_TF32=1 says.
  [[nodiscard]] bool uses_tf32() const;
  // Returns true if the algorithms that fit a convolution are tried, as LOCI_CUDA_TUNE=1 says.
  [[nodiscard]] bool tries_algorithms() const;
  [[nodiscard]] TriedAlgorithms<cudnn::Choice>& tried() { return tried_; }
  // The device's context is current.
  void destroy();

 private:
  [[noreturn]] void fail(cudnn::Status status, const char* action);
  cudnn::Status create(cudnn::Handle& handle);
  cudnn::Handle idle_or_new();
  void give_back(cudnn::Handle handle);
  void create_first();

  Plugin& plugin_;
  Device& device_;
  std::mutex mutex_;
  const CudnnLibrary* library_ = nullptr;
  bool is_ready_ = false;
  std::vector<cudnn::Handle> idle_;
  std::string unavailable_;
  TriedAlgorithms<cudnn::Choice> tried_;
};

}  // namespace loci::cuda
