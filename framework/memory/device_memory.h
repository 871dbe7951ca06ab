// The allocators over one device's memory.
#pragma once

#include <mutex>
#include <set>

#include "framework/memory/caching_allocator.h"

namespace loci::memory {

// Lives with the device. Thread-safe.
class DeviceMemory final : public device::Resident {
 public:
  explicit DeviceMemory(device::Device& device);

  // The one for all who have none of their own.
  [[nodiscard]] CachingAllocator& allocator() { return allocator_; }
  // A further one, which is told of streams that end until it is removed.
  void add(CachingAllocator& pool);
  void remove(CachingAllocator& pool);
  void stream_ended(loci_stream* stream) noexcept override;
  void device_lost() noexcept override { allocator_.lose_source(); }

 private:
  CachingAllocator allocator_;
  std::mutex mutex_;
  std::set<CachingAllocator*> pools_;
};

// Not for devices that use host memory.
DeviceMemory& memory_of(device::Device& device);

}  // namespace loci::memory
