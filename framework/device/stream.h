// Streams and events of a queued device.
#pragma once

#include <atomic>
#include <cstdint>

#include "framework/device/device.h"

namespace loci::device {

// Used by one thread at a time. Destroyed before its device is; the destructor waits for its work.
class Stream {
 public:
  // `priority` is one that the device has. The others are shared, and have the priority 0.
  explicit Stream(Device& device, std::int32_t priority = 0);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] loci_stream* handle() const { return handle_; }
  [[nodiscard]] bool done();
  void synchronize();

 private:
  Device* device_;
  loci_stream* handle_ = nullptr;
};

// A point in a stream.
class Event {
 public:
  // A timed one may cost more, and ns_until() may be asked of it.
  enum class Timing : std::uint8_t { kNone, kTimed };

  explicit Event(Device& device, Timing timing = Timing::kNone);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(loci_stream* stream);
  [[nodiscard]] bool done();
  void synchronize();
  // Later work of `stream`, which is of `waiting` unless it is of this one's device, waits for the
  // latest record.
  void wait_on(loci_stream* stream, Device* waiting = nullptr);
  // From the latest record to that of `end`, which have both been reached. Throws
  // Error(kUnsupported) on a device that does not measure.
  [[nodiscard]] std::uint64_t ns_until(Event& end);

 private:
  Device* device_;
  loci_event* handle_ = nullptr;
  std::atomic<loci_stream*> stream_{nullptr};  // of the latest record, for messages alone
};

}  // namespace loci::device
