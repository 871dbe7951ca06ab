// Memory of a device that is kept for one owner, such as a captured graph, whose addresses have to
// stay its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "framework/device/device.h"
#include "framework/memory/allocator.h"

namespace loci::memory {

// An allocator of its own over the device's memory: no other allocation of the device reuses what
// it has cached, and none of its own comes from what others have. Where the device works in host
// memory, the pool's segments are blocks of the context's host memory, so that these are one
// account under one limit. Its segments stay until give_back() or its end: graphs use addresses of
// blocks that have been freed. Thread-safe. Ends before the device, and before the context.
class PrivatePool {
 public:
  explicit PrivatePool(device::Device& device);
  // Makes a pool of host memory.
  PrivatePool();
  // Waits for the device and gives all memory back. Its buffers have to have ended: where some
  // live, their memory and the pool are kept until the process ends, with an error in the log.
  ~PrivatePool();
  PrivatePool(const PrivatePool&) = delete;
  PrivatePool& operator=(const PrivatePool&) = delete;

  // Where the device has no memory left, what others have cached is given back first.
  Buffer allocate(std::uint64_t bytes, loci_stream* stream, const char* name) {
    return allocator().allocate(bytes, stream, name);
  }
  // Gives the segments back that have no live block and that `may_go`, by address and bytes: those
  // whose addresses nobody uses any more. Waits for the device.
  void give_back(const std::function<bool(const void* data, std::uint64_t bytes)>& may_go);
  // The statistics of this pool alone.
  [[nodiscard]] Stats stats() const { return allocator().stats(); }
  [[nodiscard]] Allocator& allocator() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace loci::memory
