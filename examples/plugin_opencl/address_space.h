// Addresses for memory that OpenCL knows by handles only.
#pragma once

#include <cstdint>
#include <map>
#include <shared_mutex>

#include "handle.h"

namespace opencl {

// A place in a buffer.
struct Location {
  cl_mem buffer = nullptr;
  std::uint64_t offset = 0;  // bytes
};

// Each buffer gets a range of addresses that nobody can access, reserved from the operating system.
// The host adds offsets to its first one; locate() maps back. Thread-safe.
class AddressSpace {
 public:
  AddressSpace() = default;
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  // The first address of the buffer, which now belongs to this; `bytes` > 0. Throws
  // std::bad_alloc.
  void* insert(Buffer buffer, std::uint64_t bytes);
  // Forgets the buffer that begins there; returns its bytes. OpenCL keeps the buffer itself until
  // the work that was enqueued with it has ended.
  std::uint64_t erase(void* first);
  // {nullptr, 0} for NULL. Throws Error(LOCI_CODE_INVALID_ARGUMENT) for an address of none.
  [[nodiscard]] Location locate(const void* address) const;

 private:
  struct Range {
    Buffer buffer;
    std::uint64_t bytes;
  };

  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, Range> ranges_;  // by first address
};

}  // namespace opencl
