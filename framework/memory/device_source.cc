#include "framework/memory/device_source.h"

namespace loci::memory {

void* DeviceSource::acquire(std::uint64_t bytes, loci_stream* stream) {
  return shared_ == nullptr ? device_->allocate(bytes, stream) : shared_->acquire(bytes);
}

void DeviceSource::release(void* pointer, std::uint64_t bytes) noexcept {
  if (shared_ != nullptr) return shared_->release(pointer, bytes);
  device_->deallocate(pointer, nullptr);
}

std::uint64_t DeviceSource::free_bytes() const noexcept {
  return shared_ == nullptr ? device_->free_memory() : shared_->free_bytes();
}

void DeviceSource::order(loci_stream* earlier, loci_stream* later) {
  // A wait belongs to the record that was latest then, so one event serves all.
  const std::lock_guard lock(mutex_);
  if (!event_) event_.emplace(*device_);
  event_->record(earlier);
  event_->wait_on(later);
}

void DeviceSource::lose() noexcept {
  const std::lock_guard lock(mutex_);
  event_.reset();
}

}  // namespace loci::memory
