#include "framework/memory/allocator.h"

#include "framework/core/context.h"
#include "framework/core/environment.h"
#include "framework/device/device_manager.h"
#include "framework/memory/caching_allocator.h"
#include "framework/memory/device_memory.h"
#include "framework/memory/host_source.h"

namespace loci::memory {
namespace {

std::uint64_t host_limit() { return core::configured_number("MEMORY_LIMIT").value_or(0); }

struct HostMemory {
  static constexpr auto kContextSlot = core::ContextSlot::kHostMemory;
  CachingAllocator allocator{std::make_unique<HostSource>(host_limit())};
};

}  // namespace

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    reset();
    allocator_ = std::exchange(other.allocator_, nullptr);
    block_ = std::exchange(other.block_, nullptr);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

void Buffer::reset() noexcept {
  if (allocator_ == nullptr) return;
  allocator_->deallocate(block_, bytes_);
  allocator_ = nullptr;
  block_ = nullptr;
  data_ = nullptr;
  bytes_ = 0;
}

Allocator& host_allocator() { return core::in_context<HostMemory>().allocator; }

Allocator& device_allocator(device::Device& device) {
  if (device.uses_host_memory()) return host_allocator();
  return memory_of(device).allocator();
}

Allocator& allocator_of(const Place& place) {
  if (place.is_host()) return host_allocator();
  return device_allocator(device::DeviceManager::instance().get(place));
}

}  // namespace loci::memory
