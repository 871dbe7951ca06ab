// Host memory that the device copies from and to without staging.
#pragma once

#include <cstdint>
#include <map>
#include <shared_mutex>

#include "handle.h"

namespace opencl {

// OpenCL pins what a buffer keeps in host memory: memory of its own, or the caller's. The buffer
// stays mapped, so that the host may use the memory. Thread-safe.
class PinnedMemory {
 public:
  // Buffers are made in `context` and mapped by `queue`; both outlive this.
  PinnedMemory(cl_context context, cl_command_queue queue) : context_(context), queue_(queue) {}
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  void* allocate(std::uint64_t bytes);
  void add(void* memory, std::uint64_t bytes);
  // Releases a range by its begin. It stays until the work that `queue` has so far has ended.
  void release(void* memory, cl_command_queue queue);
  // Returns true if all of it is pinned.
  [[nodiscard]] bool contains(const void* memory, std::uint64_t bytes) const;

 private:
  struct Range {
    Buffer buffer;
    void* memory;
    std::uint64_t bytes;
  };
  void* insert(cl_mem_flags flags, void* memory, std::uint64_t bytes);
  static void unmap(const Range& range, cl_command_queue queue);

  cl_context context_;
  cl_command_queue queue_;
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, Range> ranges_;  // by first address
};

}  // namespace opencl
