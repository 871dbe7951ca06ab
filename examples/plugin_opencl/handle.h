// Owners of OpenCL objects.
#pragma once

#include <CL/cl.h>

#include <utility>

namespace opencl {

// One reference of an object, given back on destruction.
template <class T, cl_int (*release)(T)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T value) : value_(value) {}
  ~Handle() {
    if (value_ != nullptr) release(value_);
  }
  Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  [[nodiscard]] T get() const { return value_; }
  [[nodiscard]] explicit operator bool() const { return value_ != nullptr; }

 private:
  T value_ = nullptr;
};

using Context = Handle<cl_context, clReleaseContext>;
using Queue = Handle<cl_command_queue, clReleaseCommandQueue>;
using Buffer = Handle<cl_mem, clReleaseMemObject>;
using ClEvent = Handle<cl_event, clReleaseEvent>;
using Program = Handle<cl_program, clReleaseProgram>;
using ClKernel = Handle<cl_kernel, clReleaseKernel>;

}  // namespace opencl
