#include "framework/memory/private_pool.h"

#include <mutex>
#include <utility>
#include <vector>

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/memory/device_memory.h"
#include "framework/memory/device_source.h"

namespace loci::memory {
namespace {

// The pool and the others share what the device has.
class PoolSource final : public MemorySource {
 public:
  explicit PoolSource(device::Device& device) : device_(device), source_(device) {}

  void* acquire(std::uint64_t bytes, loci_stream* stream) override {
    try {
      return source_.acquire(bytes, stream);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kOutOfMemory) throw;
    }
    memory_of(device_).allocator().empty_cache();
    return source_.acquire(bytes, stream);
  }
  void release(void* pointer, std::uint64_t bytes) noexcept override {
    source_.release(pointer, bytes);
  }
  void order(loci_stream* earlier, loci_stream* later) override { source_.order(earlier, later); }
  void synchronize() override { source_.synchronize(); }
  [[nodiscard]] std::string place() const override { return source_.place(); }
  [[nodiscard]] std::uint64_t free_bytes() const noexcept override { return source_.free_bytes(); }
  [[nodiscard]] std::uint64_t alignment() const noexcept override { return source_.alignment(); }
  [[nodiscard]] std::uint64_t chunk() const noexcept override { return source_.chunk(); }
  [[nodiscard]] bool is_host() const noexcept override { return false; }

 private:
  device::Device& device_;
  DeviceSource source_;
};

device::Device& with_own_memory(device::Device& device) {
  if (device.uses_host_memory()) {
    core::raise(ErrorCode::kUnsupported,
                "[memory] {} works in host memory, of which there are no private pools; allocate "
                "from the host's",
                device.place().to_string());
  }
  return device;
}

}  // namespace

class PrivatePool::Impl {
 public:
  explicit Impl(device::Device& device)
      : all_(memory_of(device)),
        allocator(std::make_unique<PoolSource>(device), device.default_stream()) {
    all_.add(allocator);
  }
  ~Impl() { all_.remove(allocator); }

 private:
  DeviceMemory& all_;

 public:
  CachingAllocator allocator;
};

PrivatePool::PrivatePool(device::Device& device)
    : impl_(std::make_unique<Impl>(with_own_memory(device))) {}

PrivatePool::~PrivatePool() {
  const std::uint64_t in_use = stats().in_use;
  if (in_use == 0) return;
  core::log(core::Module::kMemory, core::Level::kError,
            "a private pool ends with {} bytes in use; they are kept until the process ends",
            in_use);
  static std::mutex& mutex = *new std::mutex();
  static auto& kept = *new std::vector<std::unique_ptr<Impl>>();
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(impl_));
}

Allocator& PrivatePool::allocator() const { return impl_->allocator; }

}  // namespace loci::memory
