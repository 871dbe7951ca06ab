// Streams and events of the device.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "handle.h"

namespace opencl {

class Device;
class Event;

// An in-order command queue that remembers what of its work has not been seen to end: how OpenCL
// tells the host that work has failed.
class Stream {
 public:
  explicit Stream(Device& device);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] cl_command_queue queue() const { return queue_.get(); }
  // Takes the event of a command that was just enqueued, and has it begin. `what` outlives the
  // stream.
  void enqueued(cl_event event, const char* what, std::uint64_t correlation);

  [[nodiscard]] bool query();
  void synchronize();
  void wait(Event& event);

 private:
  struct Command {
    ClEvent event;
    const char* what;
    std::uint64_t correlation;
  };
  void collect();

  Device& device_;
  Queue queue_;
  std::mutex mutex_;
  std::deque<Command> pending_;  // in the order of the queue
};

// A marker in a queue. One that was never recorded counts as reached.
class Event {
 public:
  explicit Event(Device& device) : device_(device) {}

  void record(Stream* stream);
  [[nodiscard]] bool query();
  void synchronize();
  // Device time from this event to `end`; both have been reached.
  [[nodiscard]] std::uint64_t ns_until(Event& end);
  // One reference of the latest marker, if there is one.
  [[nodiscard]] ClEvent latest();
  [[nodiscard]] const Device& device() const { return device_; }

 private:
  Device& device_;
  std::mutex mutex_;
  ClEvent marker_;
};

}  // namespace opencl
