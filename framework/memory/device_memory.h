// The allocators over one device's memory.
#pragma once

#include <memory>
#include <mutex>
#include <set>

#include "framework/memory/caching_allocator.h"
#include "framework/memory/shared_allocations.h"

namespace loci::memory {

// Lives with the device. Thread-safe.
class DeviceMemory final : public device::Resident {
 public:
  explicit DeviceMemory(device::Device& device);

  // The one for all who have none of their own.
  [[nodiscard]] CachingAllocator& allocator() { return allocator_; }
  // Where segments of the device come from, of further allocators too; NULL: from the device, as
  // many as they want.
  [[nodiscard]] SharedAllocations* shared_allocations() { return shared_.get(); }
  // A further one, which is told of streams that end until it is removed.
  void add(CachingAllocator& pool);
  void remove(CachingAllocator& pool);
  void stream_ended(loci_stream* stream) noexcept override;
  void device_lost() noexcept override { allocator_.lose_source(); }

 private:
  std::unique_ptr<SharedAllocations> shared_;
  CachingAllocator allocator_;
  std::mutex mutex_;
  std::set<CachingAllocator*> pools_;
};

// Not for devices that use host memory.
DeviceMemory& memory_of(device::Device& device);

}  // namespace loci::memory
