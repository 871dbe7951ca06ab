// One call of an exported function: the checks that all have in common, and what exceptions become.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <new>
#include <utility>

#include "tools/cuda_double/driver/capture.h"
#include "tools/cuda_double/driver/driver.h"
#include "tools/cuda_double/driver/error_names.h"
#include "tools/cuda_double/driver/hearing.h"
#include "tools/cuda_double/driver/thread_state.h"

namespace loci::cuda_double {

// The traits of a function, which add up, tell what it needs and allows.
enum CallTraits : unsigned {
  kPlain = 0,             // a driver that is initialised
  kBeforeInit = 1,        // not even that
  kInHostFunctions = 2,   // may be called there
  kNeedsContext = 4,      // one that is current, alive and without an error
  kDespiteErrors = 8,     // the current context may have an error
  kUnsafeInCapture = 16,  // is forbidden while a capture of this thread or a global one is underway
  kSpoilsCapture = 32,    // as that, but does its work
};

class Call {
 public:
  Call(const char* name, Driver& owner) : driver(owner), lock(owner.mutex), name_(name) {}
  void begin(unsigned traits);

  [[nodiscard]] Context& context() const { return *context_; }
  // A stream by its handle, NULL being that of the thread or the legacy one.
  [[nodiscard]] std::shared_ptr<Stream> stream(CUstream handle);
  // Finds a stream to add work to it: a call that fails from now on ends its capture.
  [[nodiscard]] std::shared_ptr<Stream> work_stream(CUstream handle);
  void wait(const TaskPtr& task) { driver.wait(lock, task); }
  [[nodiscard]] const char* function() const { return name_; }
  // "cuLaunchKernel #3".
  [[nodiscard]] std::string text() const { return driver.call_name(); }

  // After a failure.
  [[nodiscard]] CUresult failed(CUresult code, const char* why);

  Driver& driver;
  std::unique_lock<std::mutex> lock;

 private:
  const char* name_;
  Context* context_ = nullptr;
  std::shared_ptr<Stream> target_;
};

// The body is called with the Call; what it throws becomes a code.
template <typename Body>
CUresult enter_unheard(const char* name, unsigned traits, Body&& body) noexcept {
  try {
    Driver& driver = Driver::get();
    if (ThreadState::get().in_host_function && (traits & kInHostFunctions) == 0) {
      return CUDA_ERROR_NOT_PERMITTED;
    }
    Call call(name, driver);
    try {
      call.begin(traits);
      body(call);
      return CUDA_SUCCESS;
    } catch (const DriverError& error) {
      return call.failed(error.code(), error.what());
    } catch (const MemoryError& error) {
      return call.failed(CUDA_ERROR_INVALID_VALUE, error.what());
    } catch (const std::bad_alloc&) {
      return call.failed(CUDA_ERROR_OUT_OF_MEMORY, "the host has no memory left");
    } catch (const std::exception& error) {
      return call.failed(CUDA_ERROR_UNKNOWN, error.what());
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "[cuda double] {}: {}\n", name, error.what());
    return CUDA_ERROR_UNKNOWN;
  }
}

// Runs the body as enter_unheard(); whoever listens hears of it when the driver is unlocked again.
template <typename Body>
CUresult enter(const char* name, unsigned traits, Body&& body) noexcept {
  HeardCall heard(name);
  return heard.ended(enter_unheard(name, traits, std::forward<Body>(body)));
}

}  // namespace loci::cuda_double
