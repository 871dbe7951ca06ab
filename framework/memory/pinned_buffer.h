// Host memory that a device copies from and to while the host goes on.
#pragma once

#include <cstdint>

#include "framework/device/device.h"
#include "framework/memory/allocator.h"

namespace loci::memory {

// Whole pages of the host's allocator, under its limit and in its ledger, registered with the
// device. Where the device cannot do that, or does not want to, it is the device's own pinned
// memory, and where there is none, host memory as any other. No work uses it any more when it ends.
class PinnedBuffer {
 public:
  // `name` as for Allocator::allocate(). Throws Error(kOutOfMemory).
  PinnedBuffer(device::Device& device, std::uint64_t bytes, const char* name);
  ~PinnedBuffer();
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  // Aligned to a page, unless the device gave it.
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] bool is_registered() const { return registered_; }
  [[nodiscard]] bool is_of_device() const { return is_of_device_; }

 private:
  void take_host_memory(std::uint64_t bytes, const char* name);
  // Returns true if it worked.
  bool register_memory(std::uint64_t bytes);
  bool take_device_memory(std::uint64_t bytes);

  device::Device& device_;
  Buffer buffer_;
  void* data_ = nullptr;
  bool registered_ = false;
  bool is_of_device_ = false;
};

}  // namespace loci::memory
