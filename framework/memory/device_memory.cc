#include "framework/memory/device_memory.h"

#include <memory>

#include "framework/memory/device_source.h"

namespace loci::memory {

DeviceMemory::DeviceMemory(device::Device& device)
    : shared_(device.info().max_allocations == 0 ? nullptr
                                                 : std::make_unique<SharedAllocations>(device)),
      allocator_(std::make_unique<DeviceSource>(device, shared_.get()), device.default_stream()) {}

void DeviceMemory::add(CachingAllocator& pool) {
  const std::lock_guard lock(mutex_);
  pools_.insert(&pool);
}

void DeviceMemory::remove(CachingAllocator& pool) {
  const std::lock_guard lock(mutex_);
  pools_.erase(&pool);
}

void DeviceMemory::stream_ended(loci_stream* stream) noexcept {
  allocator_.end_stream(stream);
  const std::lock_guard lock(mutex_);
  for (CachingAllocator* pool : pools_) pool->end_stream(stream);
}

DeviceMemory& memory_of(device::Device& device) {
  device::Resident& resident =
      device.resident([](device::Device& owner) -> std::unique_ptr<device::Resident> {
        return std::make_unique<DeviceMemory>(owner);
      });
  return static_cast<DeviceMemory&>(resident);
}

}  // namespace loci::memory
