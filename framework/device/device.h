// An open device of a loaded backend.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/place.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "framework/plugin/backend.h"

namespace loci::device {

class Stream;

// What the backend said of it.
struct DeviceInfo {
  std::string name;
  std::string arch;
  std::string uuid;
  std::string driver;
  std::uint32_t flags = 0;
  std::uint64_t total_memory = 0;
  std::uint64_t alignment = 64;
  std::uint64_t min_chunk = 1;
  std::uint32_t compute_units = 0;
  double peak_flops = 0;  // per second, float32; 0: it does not say
  double peak_bytes = 0;  // per second, of its memory
};

// What a higher layer keeps with a device, such as its allocator. Ends before the device does.
class Resident {
 public:
  virtual ~Resident() = default;
  // All work of `stream` has ended, and its handle is about to become invalid.
  virtual void stream_ended(loci_stream* stream) noexcept = 0;
};

// Those of the DeviceManager live until the process ends. The constructor opens the device and the
// destructor closes it; the caller serialises both for a plugin. Other functions may be called from
// any thread and throw Error with the place in the message.
class Device {
 public:
  // Throws Error(kIncompatible) if the backend lacks a function that its kind of device needs.
  Device(const plugin::DeviceBackend& backend, Place place);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  [[nodiscard]] bool is_inline() const { return (info_.flags & LOCI_DEVICE_INLINE) != 0; }
  [[nodiscard]] bool uses_host_memory() const {
    return (info_.flags & LOCI_DEVICE_HOST_MEMORY) != 0;
  }
  [[nodiscard]] bool is_accelerator() const { return (info_.flags & LOCI_DEVICE_ACCELERATOR) != 0; }
  [[nodiscard]] const loci_device_api& api() const { return backend_->api; }
  [[nodiscard]] loci_device* handle() const { return handle_; }
  [[nodiscard]] plugin::Plugin& plugin() const { return *backend_->plugin; }
  // Null if the backend has none.
  [[nodiscard]] const loci_profile_source_api* profile_source() const {
    return backend_->profile_source ? &*backend_->profile_source : nullptr;
  }

  // The stream that programs use unless told otherwise; NULL on an inline device without streams.
  [[nodiscard]] loci_stream* default_stream() const;
  // The stream with this number, made when it is first asked for; 0 is the default one. As that
  // one, it is shared by all who ask. Throws Error(kUnsupported) on a device without streams.
  loci_stream* stream(std::size_t number);

  // Memory of the device. Throws Error(kOutOfMemory). Not for devices that use host memory.
  void* allocate(std::uint64_t bytes, loci_stream* stream);
  // Behind the work enqueued on `stream`. A failure is logged.
  void deallocate(void* pointer, loci_stream* stream) noexcept;
  // Bytes free now; 0 if the backend cannot tell.
  [[nodiscard]] std::uint64_t free_memory() const noexcept;
  // Flat copy in stream order; returns whether the host waited.
  bool copy(std::uint32_t source_end, const void* source, std::uint32_t target_end, void* target,
            std::uint64_t bytes, loci_stream* stream, std::uint64_t correlation,
            loci_device* peer = nullptr);
  // Wait, and throw what enqueued work has failed with since the last wait.
  void synchronize_stream(loci_stream* stream);
  void synchronize();
  // Throws what enqueued work has failed with since the last wait, without waiting.
  void check_async_error();

  // Throws the backend's error, if there is one, with the place and what was being done.
  void check(loci_error* error, std::string_view action) const {
    if (error != nullptr) [[unlikely]]
      fail(error, action);
  }

  // The resident, made by the first call.
  Resident& resident(std::unique_ptr<Resident> (*make)(Device&));
  // Called by ~Stream.
  void end_stream(loci_stream* stream) noexcept;

 private:
  [[noreturn]] void fail(loci_error* error, std::string_view action) const;
  void describe();

  const plugin::DeviceBackend* backend_;
  Place place_;
  DeviceInfo info_;
  loci_device* handle_ = nullptr;
  std::unique_ptr<Stream> default_stream_;
  std::mutex streams_mutex_;
  std::vector<std::unique_ptr<Stream>> further_streams_;  // by number - 1; null: not asked for
  std::mutex resident_mutex_;
  std::atomic<Resident*> resident_{nullptr};
  std::unique_ptr<Resident> owned_resident_;
};

}  // namespace loci::device
