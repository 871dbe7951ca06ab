// A function of a kernel's program, and how it is launched.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <memory>
#include <mutex>

#include "device.h"
#include "error.h"

namespace opencl {

// A tensor as an argument: its buffer, and the index of its first element there.
struct Memory {
  const void* address;
  std::uint64_t element_bytes = sizeof(float);
};

// Arguments belong to the kernel object until it is enqueued, and a prepared kernel may be launched
// by several threads: hence the mutex, which nobody holds for longer than that.
class Function {
 public:
  // `name` is of static storage.
  Function(const loci::sdk::Prepare& prepare, const Source& source, const char* name)
      : device_(&loci::sdk::device_of<Device>(prepare.device())),
        kernel_(device_->make_kernel(source, name)),
        name_(name),
        mutex_(std::make_unique<std::mutex>()) {}

  // At least `items` work items in groups of kGroup; none if there are no items. Arguments in the
  // order of the function's: Memory, or numbers of its types.
  template <class... Args>
  void launch(const loci::sdk::Launch& launch, std::uint64_t items, const Args&... args) const {
    if (items == 0) return;
    const std::lock_guard lock(*mutex_);
    cl_uint index = 0;
    (set(index, args), ...);
    enqueue(launch, items);
  }

 private:
  void set(cl_uint& index, const Memory& memory) const {
    const Location location = device_->locate(memory.address);
    set(index, location.buffer);
    set(index, location.offset / memory.element_bytes);
  }
  template <class T>
  void set(cl_uint& index, const T& value) const {
    check(clSetKernelArg(kernel_.get(), index++, sizeof value, &value), name_);
  }
  void enqueue(const loci::sdk::Launch& launch, std::uint64_t items) const {
    auto* stream = loci::sdk::stream_of<Device>(launch.stream());
    Device::require(stream);
    const std::size_t group = kGroup;
    const std::size_t total = (items + kGroup - 1) / kGroup * kGroup;
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(stream->queue(), kernel_.get(), 1, nullptr, &total, &group, 0,
                                 nullptr, &event),
          name_);
    stream->enqueued(event, name_, launch.correlation());
  }

  Device* device_;
  ClKernel kernel_;
  const char* name_;
  std::unique_ptr<std::mutex> mutex_;
};

}  // namespace opencl
