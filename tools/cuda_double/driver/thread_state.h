// The driver keeps a state of each thread of the host.
#pragma once

#include <cuda.h>

#include <vector>

namespace loci::cuda_double {

class Context;

struct ThreadState {
  std::vector<Context*> contexts;  // the last is current
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  bool in_host_function = false;
  bool null_is_own_stream = false;  // within the functions for streams of threads

  // Also after the destructors of the thread's variables, as at the end of a process, where a
  // program lets go of its streams: there is a fresh one then, which stays.
  static ThreadState& get() {
    thread_local ThreadState* state = nullptr;
    if (state == nullptr) {
      state = new ThreadState;
      thread_local const Owner owner{&state};
    }
    return *state;
  }

 private:
  struct Owner {
    ~Owner() {
      delete *state;
      *state = nullptr;
    }
    ThreadState** state;
  };
};

class HostFunctionScope {
 public:
  HostFunctionScope() : before_(ThreadState::get().in_host_function) {
    ThreadState::get().in_host_function = true;
  }
  ~HostFunctionScope() { ThreadState::get().in_host_function = before_; }
  HostFunctionScope(const HostFunctionScope&) = delete;
  HostFunctionScope& operator=(const HostFunctionScope&) = delete;

 private:
  const bool before_;
};

}  // namespace loci::cuda_double
