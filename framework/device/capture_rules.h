// The rules of the three capture modes: what threads may not do while a device graph is captured.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/error.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "framework/device/device.h"

namespace loci::device {

enum class CaptureMode : std::uint8_t {
  kGlobal,       // no thread does what is unsafe
  kThreadLocal,  // the capturing thread does not
  kRelaxed,      // all may
};

// A capture under way, or a look at what one would have. Entered and left by its owner.
class ActiveCapture {
 public:
  ActiveCapture(const Device& device, CaptureMode mode) : device_(device), mode_(mode) {}
  virtual ~ActiveCapture() = default;
  ActiveCapture(const ActiveCapture&) = delete;
  ActiveCapture& operator=(const ActiveCapture&) = delete;

  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] CaptureMode mode() const { return mode_; }
  // That began it.
  [[nodiscard]] std::thread::id thread() const { return thread_; }
  [[nodiscard]] bool is_of_this_thread() const { return thread_ == std::this_thread::get_id(); }
  // "graph 3 at sim:0".
  [[nodiscard]] virtual std::string name() const = 0;
  // The capture has failed, for that reason: whoever ends it is told. From any thread.
  virtual void invalidate(const Error& reason) = 0;
  // Somebody is about to do what its mode forbids: throws Error(kInvalidArgument), and the capture
  // has failed. `is_copy`: the host waits for a copy of what it reads.
  virtual void refuse(std::string_view action, bool is_copy);
  // So that it stays while it is told of a read; null once it is about to end.
  [[nodiscard]] virtual std::shared_ptr<ActiveCapture> shared() {
    return {std::shared_ptr<void>(), this};
  }
  // Its thread reads elements on the host, which are those of that storage: "[item()] of 'loss'".
  // `decides`: what is done next hangs on them. Throws Error where the graph changes them.
  virtual void note_read(const std::shared_ptr<const void>& /*storage*/, std::string_view /*read*/,
                         bool /*decides*/) {}

 private:
  const Device& device_;
  const CaptureMode mode_;
  const std::thread::id thread_ = std::this_thread::get_id();
};

void enter_capture(ActiveCapture& capture);
void leave_capture(ActiveCapture& capture) noexcept;

extern std::atomic<int> active_captures;
void note_host_read(const std::shared_ptr<const void>& storage, std::string_view read,
                    bool decides);
void check_captures(const Device* device, std::string_view action, bool is_copy = false);

// Before the calling thread waits for the device, or gives its memory back: throws
// Error(kInvalidArgument) where a capture's mode forbids that, and the capture has failed. `action`
// says what: "Stream::synchronize() waits for the device". One load where nothing is captured.
inline void check_unsafe(const Device& device, std::string_view action) {
  if (active_captures.load(std::memory_order_acquire) != 0) [[unlikely]]
    check_captures(&device, action);
}
// Likewise for all devices.
inline void check_unsafe(std::string_view action) {
  if (active_captures.load(std::memory_order_acquire) != 0) [[unlikely]]
    check_captures(nullptr, action);
}

}  // namespace loci::device
