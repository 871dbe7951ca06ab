// A backend inside the test: its own memory, streams with worker threads, counters and faults.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <loci/error.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "framework/device/backend.h"
#include "framework/device/device_manager.h"

namespace loci::test {

struct FakeOptions {
  std::string type = "fake";
  std::uint32_t count = 1;
  // With LOCI_DEVICE_INLINE there are no streams, else each stream has a worker thread.
  std::uint32_t flags = LOCI_DEVICE_ACCELERATOR;
  std::int32_t score = 10;
  std::uint64_t memory = std::uint64_t{1} << 30;  // bytes of each device
  std::uint64_t alignment = 256;
  std::uint64_t min_chunk = 1;
  bool copies_peers = true;
  bool has_pinned_memory = false;
  std::int32_t least_priority = 0;
  std::int32_t greatest_priority = 0;
  std::uint64_t max_allocations = 0;  // that it states, and has
  std::string plugin = {};            // its id; empty: "test.<type>"
};

// Counts what the functions of the table were asked for.
struct FakeCounters {
  std::atomic<std::uint64_t> to_device{0};  // bytes
  std::atomic<std::uint64_t> to_host{0};
  std::atomic<std::uint64_t> from_peer{0};
  std::atomic<std::uint64_t> on_device{0};
  std::atomic<std::uint64_t> copies{0};
  std::atomic<std::uint64_t> allocations{0};
  std::atomic<std::int64_t> live_allocations{0};
  std::atomic<std::int64_t> live_streams{0};
  std::atomic<std::int64_t> open_devices{0};
  std::atomic<std::uint64_t> events_recorded{0};
  std::atomic<std::uint64_t> event_waits{0};
  std::atomic<std::int32_t> last_priority{0};  // of a stream
};

// Outlives the devices that are opened from it.
class FakeBackend {
 public:
  explicit FakeBackend(FakeOptions options = {});
  ~FakeBackend();
  FakeBackend(const FakeBackend&) = delete;
  FakeBackend& operator=(const FakeBackend&) = delete;

  [[nodiscard]] const FakeOptions& options() const { return options_; }
  // The table may be changed before a device is opened.
  [[nodiscard]] device::DeviceBackend& backend() { return backend_; }
  [[nodiscard]] FakeCounters& counters() { return counters_; }

  // The next call of that function fails with `code` and this text.
  void fail_next(const std::string& function, ErrorCode code, const std::string& text);
  // take_async_error() gives it once.
  void fail_async(const std::string& text) {
    fail_next("take_async_error", ErrorCode::kFailed, text);
  }
  // For the table's functions: the error that was ordered, or NULL.
  loci_error* take_fault(const std::string& function);

 private:
  struct Fault {
    std::string function;
    ErrorCode code;
    std::string text;
  };

  FakeOptions options_;
  FakeCounters counters_;
  std::unique_ptr<plugin::Plugin> plugin_;
  device::DeviceBackend backend_;
  std::mutex mutex_;
  std::vector<Fault> faults_;
};

// Runs `task` on the stream's worker, behind what is enqueued there.
void enqueue(loci_stream* stream, std::function<void()> task);

// The given backends, and a reason for every other type.
class FakeSource : public device::BackendSource {
 public:
  explicit FakeSource(std::vector<FakeBackend*> backends, std::string reason = {})
      : backends_(std::move(backends)), reason_(std::move(reason)) {}
  std::vector<std::string> device_types() override;
  std::vector<const device::DeviceBackend*> backends(std::string_view device_type) override;
  std::string explain_missing(std::string_view device_type) override;

 private:
  std::vector<FakeBackend*> backends_;
  std::string reason_;
};

// A backend of the process's device manager, as long as that lives. The manager opens each type
// once, so that each test has a type of its own.
inline FakeBackend& add_fake_backend(FakeOptions options) {
  auto& backend = *new FakeBackend(std::move(options));
  device::DeviceManager::instance().add_source(
      std::make_unique<FakeSource>(std::vector<FakeBackend*>{&backend}));
  return backend;
}

}  // namespace loci::test
