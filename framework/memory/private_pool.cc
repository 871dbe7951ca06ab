#include "framework/memory/private_pool.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/log.h"
#include "framework/memory/caching_allocator.h"
#include "framework/memory/device_memory.h"
#include "framework/memory/device_source.h"

namespace loci::memory {
namespace {

// The pool and the others share what the device has.
class PoolSource final : public MemorySource {
 public:
  explicit PoolSource(device::Device& device)
      : device_(device), source_(device, memory_of(device).shared_allocations()) {}

  // For work of every stream: a graph is replayed in others than it was captured in.
  void* acquire(std::uint64_t bytes, loci_stream* /*stream*/) override {
    try {
      return source_.acquire(bytes, nullptr);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kOutOfMemory) throw;
    }
    memory_of(device_).allocator().empty_cache();
    return source_.acquire(bytes, nullptr);
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

// Segments are blocks of the host's allocator.
class HostPoolSource final : public MemorySource {
 public:
  HostPoolSource() : host_(host_allocator()) {}

  void* acquire(std::uint64_t bytes, loci_stream* /*stream*/) override {
    Buffer segment = host_.allocate(bytes, nullptr, "(private pool)");
    void* data = segment.data();
    const std::lock_guard lock(mutex_);
    segments_.emplace(data, std::move(segment));
    return data;
  }
  void release(void* pointer, std::uint64_t /*bytes*/) noexcept override {
    Buffer segment;  // is given back without the lock
    const std::lock_guard lock(mutex_);
    const auto found = segments_.find(pointer);
    segment = std::move(found->second);
    segments_.erase(found);
  }
  void order(loci_stream* /*earlier*/, loci_stream* /*later*/) override {}
  void synchronize() override {}
  [[nodiscard]] std::string place() const override { return "cpu"; }
  [[nodiscard]] std::uint64_t free_bytes() const noexcept override { return host_.available(); }
  [[nodiscard]] std::uint64_t alignment() const noexcept override { return 64; }
  [[nodiscard]] std::uint64_t chunk() const noexcept override { return 4096; }
  [[nodiscard]] bool is_host() const noexcept override { return true; }

 private:
  Allocator& host_;
  std::mutex mutex_;
  std::map<void*, Buffer> segments_;
};

}  // namespace

class PrivatePool::Impl {
 public:
  Impl()
      : allocator(std::make_unique<HostPoolSource>(), nullptr, CachingAllocator::Segments::kKept) {}
  explicit Impl(device::Device& device)
      : all_(&memory_of(device)),
        allocator(std::make_unique<PoolSource>(device), device.default_stream(),
                  CachingAllocator::Segments::kKept) {
    all_->add(allocator);
  }
  ~Impl() {
    if (all_ != nullptr) all_->remove(allocator);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

 private:
  DeviceMemory* all_ = nullptr;  // null: of the host

 public:
  CachingAllocator allocator;
};

PrivatePool::PrivatePool() : impl_(std::make_unique<Impl>()) {}
PrivatePool::PrivatePool(device::Device& device)
    : impl_(device.uses_host_memory() ? std::make_unique<Impl>() : std::make_unique<Impl>(device)) {
}

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

void PrivatePool::give_back(
    const std::function<bool(const void* data, std::uint64_t bytes)>& may_go) {
  impl_->allocator.give_back(
      [&may_go](const Heap::Memory& memory) { return may_go(memory.data, memory.bytes); });
}

Allocator& PrivatePool::allocator() const { return impl_->allocator; }

}  // namespace loci::memory
