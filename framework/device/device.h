// An open device of a loaded backend.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <loci/place.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/process_end.h"
#include "framework/device/backend.h"
#include "framework/device/device_info.h"
#include "framework/device/loss.h"
#include "framework/device/sync_limit.h"
#include "framework/device/unproven_work.h"

namespace loci::device {

class Stream;

// A higher layer's object for the device, such as its allocator. Ends before the device does.
class Resident {
 public:
  virtual ~Resident() = default;
  // All work of `stream` has ended, and its handle is about to become invalid.
  virtual void stream_ended(loci_stream* stream) noexcept = 0;
  // It is lost, and another takes its place: what is kept for later use goes back now, and what is
  // still in use once it is not.
  virtual void device_lost() noexcept = 0;
};

// Those of the DeviceManager live until the process ends. The constructor opens the device and the
// destructor closes it; the caller serialises both for a plugin. Other functions may be called from
// any thread and throw Error with the place in the message.
class Device {
 public:
  // Throws Error(kIncompatible) if the backend lacks a function that its kind of device needs.
  Device(const device::DeviceBackend& backend, const Place& place);
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
  [[nodiscard]] const DeviceBackend& backend() const { return *backend_; }
  [[nodiscard]] const loci_device_api& api() const { return backend_->api; }
  [[nodiscard]] loci_device* handle() const { return handle_; }
  [[nodiscard]] plugin::Plugin& plugin() const { return *backend_->plugin; }
  // Returns true if its streams can wait for events of that device, and copy from it: both are of
  // one plugin.
  [[nodiscard]] bool can_wait_for(const Device& other) const {
    return &plugin() == &other.plugin();
  }
  // Null if the backend has none.
  [[nodiscard]] const loci_profile_source_api* profile_source() const {
    return backend_->profile_source ? &*backend_->profile_source : nullptr;
  }

  // The priority that a stream of that one gets: the nearest which the device has.
  [[nodiscard]] std::int32_t nearest_priority(std::int32_t priority) const {
    return std::clamp(priority, info_.greatest_priority, info_.least_priority);
  }
  // Returns true if a stream runs host functions by itself.
  [[nodiscard]] bool can_launch_host() const { return api().launch_host != nullptr; }
  // See loci/abi/device.h; if it can.
  void launch_host(loci_stream* stream, loci_host_fn function, void* context,
                   std::uint64_t correlation);

  // The stream that programs use unless told otherwise; NULL on an inline device without streams.
  [[nodiscard]] loci_stream* default_stream() const;
  // The stream with this number, made when it is first asked for; 0 is the default one. As that
  // one, it is shared by all who ask. Throws Error(kUnsupported) on a device without streams.
  loci_stream* stream(std::size_t number);

  // Returns true if nothing may be asked of it, and destructors leave it alone: the process is
  // ending, or was forked from the one that opened the device, which owns a queued device's threads
  // and handles, or the device hangs, or it was closed after it was lost.
  [[nodiscard]] bool is_out_of_reach() const noexcept {
    return is_left() || loss_.is_hung() || is_closed_.load(std::memory_order_acquire);
  }
  // Throws Error(kUnavailable) if so, and Error(kDeviceLost) if it is lost.
  void require_reach() const {
    if (is_out_of_reach() || loss_.is_lost()) [[unlikely]]
      refuse_out_of_reach();
  }
  [[nodiscard]] const Loss& loss() const { return loss_; }
  // For each object of the plugin that refers to the open device and is given back: while there is
  // one, the device stays open.
  void begin_use() noexcept { uses_.fetch_add(1, std::memory_order_relaxed); }
  void end_use() noexcept { uses_.fetch_sub(1, std::memory_order_release); }
  // Gives back the memory that is kept; for a device that is lost and does not hang.
  void release_kept_memory() noexcept;
  // Closes one that is lost, does not hang and is not in use; what is left answers that it is lost.
  // Nobody may have been given it since it was lost, or be within a call of it that began before.
  void close_if_unused() noexcept;
  // For an error that came from a function which check() does not see, such as a launch.
  void note_loss(const Error& error) const noexcept;
  // In the child of a fork().
  void leave_to_parent() noexcept {
    if (!is_inline()) is_of_parent_.store(true, std::memory_order_relaxed);
  }

  // Memory of the device. Throws Error(kOutOfMemory). Not for devices that use host memory.
  void* allocate(std::uint64_t bytes, loci_stream* stream);
  // Behind the work enqueued on `stream`. A failure is logged.
  void deallocate(void* pointer, loci_stream* stream) noexcept;
  // Bytes free now; 0 if the backend cannot tell.
  [[nodiscard]] std::uint64_t free_memory() const noexcept;
  // Flat copy in stream order; returns whether the host waited. From a peer it is a call of this
  // device, and an error names both.
  bool copy(std::uint32_t source_end, const void* source, std::uint32_t target_end, void* target,
            std::uint64_t bytes, loci_stream* stream, std::uint64_t correlation,
            Device* peer = nullptr);
  // Wait, and ask as check_async_error() does.
  void synchronize_stream(loci_stream* stream, UnprovenWork* asker = nullptr,
                          std::uint64_t up_to = 0);
  void synchronize();
  // Before a wait for work in `stream`: where LOCI_SYNC_TIMEOUT is set, asks `has_ended` until it
  // says so. When the time is over, the device hangs, and Error(kDeviceLost) is thrown.
  template <class HasEnded>
  void keep_limit(loci_stream* stream, const HasEnded& has_ended) {
    const std::optional<std::chrono::seconds> limit = sync_limit();
    if (limit && !wait_until(has_ended, *limit)) give_up(stream, *limit);
  }
  // Checks the error of such a wait, as check() does.
  void check_wait(loci_error* error, loci_stream* stream) {
    if (error != nullptr) [[unlikely]]
      fail(error, "waiting for " + name_of(stream));
  }
  // Asks the device, without waiting, what it has not told yet of work that has failed. That work
  // fails, with what may have used it, or all that is in question where the device cannot tell.
  // Throws the first failure, unless it is known to be another's than the asker's (null: nobody's
  // in particular), who meets it himself. If the device says nothing, the work of the asker counts
  // as done up to `up_to` before anybody else can ask.
  void check_async_error(UnprovenWork* asker = nullptr, std::uint64_t up_to = 0);
  // For an error that the device answers instead of doing what it was asked, which is about its
  // work: all that is in question has failed.
  std::shared_ptr<Failure> fail_work(const Error& error, const UnprovenWork* asker = nullptr);
  void enter_work(UnprovenWork& work);
  void leave_work(UnprovenWork& work);

  // Throws the backend's error, if there is one, with the place and what was being done.
  void check(loci_error* error, std::string_view action) const {
    if (error != nullptr) [[unlikely]]
      fail(error, action);
  }

  // The resident, made by the first call.
  Resident& resident(std::unique_ptr<Resident> (*make)(Device&));
  // Called by Stream, when it has its handle and before that becomes invalid.
  void begin_stream(loci_stream* stream);
  void end_stream(loci_stream* stream) noexcept;

 private:
  [[noreturn]] void fail(loci_error* error, std::string_view action) const;
  [[noreturn]] void fail_copy(loci_error* error, std::uint64_t bytes, Device* peer) const;
  // Asks the plugin, without a wait.
  [[nodiscard]] bool says_it_is_lost() const;
  [[noreturn]] void refuse_out_of_reach() const;
  // The next error of enqueued work, with the correlation of what failed, if the device tells it.
  std::optional<Error> take_async_error(std::uint64_t* correlation);
  // Returns true if the device belongs to another process, or this one is ending: the lock of its
  // work is not taken then, which a thread that is not there any more may hold.
  [[nodiscard]] bool is_left() const noexcept {
    return is_of_parent_.load(std::memory_order_relaxed) || core::process_is_ending();
  }
  // "its default stream", "its stream 2"; for messages.
  [[nodiscard]] std::string name_of(loci_stream* stream);
  [[noreturn]] void give_up(loci_stream* stream, std::chrono::seconds limit);
  [[nodiscard]] bool is_done(loci_stream* stream) const;
  void await_stream(loci_stream* stream);
  // Those of others too.
  void keep_limit_of_all_streams();
  [[nodiscard]] UnprovenWork* owner_of(std::uint64_t correlation) const;
  // With the lock of the work.
  std::shared_ptr<Failure> fail_all(const Error& error, const UnprovenWork* asker);
  std::shared_ptr<Failure> fail_owner(const Error& error, UnprovenWork& owner,
                                      std::uint64_t correlation);
  void open();
  void close() noexcept;

  const device::DeviceBackend* backend_;
  Place place_;
  DeviceInfo info_;
  loci_device* handle_ = nullptr;
  std::atomic<bool> is_of_parent_{false};
  std::atomic<std::int64_t> uses_{0};
  std::atomic<bool> is_closed_{false};
  mutable Loss loss_;  // heard of wherever an error of the device passes
  std::unique_ptr<Stream> default_stream_;
  std::mutex streams_mutex_;
  std::vector<std::unique_ptr<Stream>> further_streams_;  // by number - 1; null: not asked for
  // Guards the list of all Streams. Held while one is queried, so that none is destroyed meanwhile.
  std::mutex live_streams_mutex_;
  std::vector<loci_stream*> live_streams_;
  std::mutex work_mutex_;  // from a question to what follows from the answer
  std::vector<UnprovenWork*> works_;
  std::mutex resident_mutex_;
  std::atomic<Resident*> resident_{nullptr};
  std::unique_ptr<Resident> owned_resident_;
};

}  // namespace loci::device
