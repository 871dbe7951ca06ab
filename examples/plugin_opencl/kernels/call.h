// A prepared kernel: one function of a program, with its arguments.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device.h"

namespace opencl {

// Arguments are added in the order of the function's. A tensor is two of them: its buffer, and the
// index of its first element there.
class Call {
 public:
  // `name` is of static storage.
  Call(const loci::sdk::Prepare& prepare, const Source& source, const char* name);

  // The operator's input or output of that flat index.
  Call& input(std::uint32_t index, std::uint64_t element_bytes = sizeof(float)) {
    return add({true, index, element_bytes, next_});
  }
  Call& output(std::uint32_t index) { return add({false, index, sizeof(float), next_}); }
  // A number or a struct of the function's type.
  template <class T>
  Call& value(const T& value) {
    set(next_++, sizeof value, &value);
    return *this;
  }
  // Ends the preparation: at least `items` work items, in groups of kGroup.
  void finish(loci::sdk::Prepare& prepare, std::int64_t items) {
    items_ = static_cast<std::uint64_t>(items);
    prepare.emplace<Call>(std::move(*this));
  }

  void launch(const loci::sdk::Launch& launch) const;

 private:
  struct Tensor {
    bool is_input;
    std::uint32_t index;
    std::uint64_t element_bytes;
    cl_uint argument;
  };
  Call& add(const Tensor& tensor) {
    tensors_.push_back(tensor);
    next_ += 2;
    return *this;
  }
  void set(cl_uint argument, std::size_t bytes, const void* value) const;

  Device* device_;
  ClKernel kernel_;
  const char* name_;
  std::vector<Tensor> tensors_;
  cl_uint next_ = 0;
  std::size_t items_ = 0;
  // Arguments belong to the kernel object until it is enqueued, and several threads may launch it.
  std::unique_ptr<std::mutex> mutex_;
};

}  // namespace opencl
