// Segments of a device's memory.
#pragma once

#include <mutex>
#include <optional>

#include "framework/device/stream.h"
#include "framework/memory/memory_source.h"
#include "framework/memory/shared_allocations.h"

namespace loci::memory {

class DeviceSource final : public MemorySource {
 public:
  // With `shared`, segments are pieces of those allocations, and live no longer than they do.
  explicit DeviceSource(device::Device& device, SharedAllocations* shared = nullptr)
      : device_(&device), shared_(shared) {}

  void* acquire(std::uint64_t bytes, loci_stream* stream) override;
  void release(void* pointer, std::uint64_t bytes) noexcept override;
  void order(loci_stream* earlier, loci_stream* later) override;
  void lose() noexcept override;
  void synchronize() override { device_->synchronize(); }
  [[nodiscard]] std::string place() const override { return device_->place().to_string(); }
  [[nodiscard]] std::uint64_t free_bytes() const noexcept override;
  [[nodiscard]] std::uint64_t alignment() const noexcept override {
    return device_->info().alignment;
  }
  [[nodiscard]] std::uint64_t chunk() const noexcept override { return device_->info().min_chunk; }
  [[nodiscard]] bool is_host() const noexcept override { return false; }

 private:
  device::Device* device_;
  SharedAllocations* shared_;
  std::mutex mutex_;
  std::optional<device::Event> event_;
};

}  // namespace loci::memory
