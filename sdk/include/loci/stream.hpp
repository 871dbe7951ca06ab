// The order of asynchronous work.
//
// Every place has a default stream, into which ops go unless a StreamGuard says otherwise. Work of
// one stream runs in order; work of different streams may overlap, and waits only for what the
// tensors it uses ask for. On a device the queue is the device's own; on the host a worker thread
// takes the work, but for small ops, which the calling thread runs at once where nothing waits
// before them.
//
// Before a process ends by exit() or by return from main(), all streams end their work, for up to
// LOCI_EXIT_TIMEOUT seconds (60); what has not ended then is given up with a message and exit code
// 1, and destructors do not run. An op called later, in a destructor of a static, gives a result
// that holds Error(kUnavailable). quick_exit() and signals abandon work.
//
// The child of a fork() computes at the CPU on one thread if its parent had computed; other devices
// that were open are the parent's, and what is asked of them throws Error(kUnavailable).
#pragma once

#include <cstdint>
#include <functional>
#include <loci/export.hpp>
#include <loci/place.hpp>
#include <memory>

namespace loci {
namespace eager {
class Queue;
}  // namespace eager

inline namespace v0 {

// A handle: copies mean the same stream. May be used from any thread.
class LOCI_PUBLIC Stream {
 public:
  // A stream of its own at that place, which is resolved. Throws Error(kUnavailable). Streams are
  // kept when their last handle ends, and used again.
  // `priority` is the nearest that the device has: the lower number is the greater one, 0 where
  // nothing is asked for, and all that a device without priorities has. Of ready work that a device
  // does not run at once, that of the greater priority begins first.
  explicit Stream(const Place& place = Place(), int priority = 0);
  // The default stream of a place.
  static Stream default_of(const Place& place);
  // Where ops at `place` go now: that of the innermost StreamGuard of the place, or the default.
  static Stream current(const Place& place);

  [[nodiscard]] const Place& place() const;
  // The one that it has, whatever was asked for.
  [[nodiscard]] int priority() const;
  // Calls the function once all that was enqueued before has ended, on a thread of the device's or
  // of the library's; what is enqueued later comes after it. It may neither enqueue work nor wait
  // for any. What it throws is thrown by the next wait for the stream. Throws
  // Error(kInvalidArgument) for an empty one.
  void launch_host_function(std::function<void()> function) const;
  // Returns true if all that was enqueued has ended.
  [[nodiscard]] bool done() const;
  // Waits for all that was enqueued. Throws the first error that no wait has thrown yet.
  void synchronize() const;

  friend bool operator==(const Stream& a, const Stream& b) noexcept { return a.queue_ == b.queue_; }
  friend bool operator!=(const Stream& a, const Stream& b) noexcept { return !(a == b); }

  explicit Stream(std::shared_ptr<eager::Queue> queue);
  [[nodiscard]] const std::shared_ptr<eager::Queue>& queue() const noexcept { return queue_; }

 private:
  std::shared_ptr<eager::Queue> queue_;
};

// A point in a stream. May be used from any thread. One that is recorded in a stream that a Graph
// is capturing is a point of that graph: a stream that waits for it is captured too from then on,
// and the host cannot wait for it (Error(kInvalidArgument)).
class LOCI_PUBLIC Event {
 public:
  // Marks the end of what `stream` has now.
  void record(const Stream& stream);
  // Later work of `stream` waits for the latest record. Nothing is waited for before the first.
  void wait(const Stream& stream) const;
  [[nodiscard]] bool done() const;
  void synchronize() const;

 private:
  std::shared_ptr<eager::Queue> queue_;
  std::uint64_t ticket_ = 0;
  std::uint64_t graph_ = 0;    // the number of the graph that it is a point of; 0: of none
  std::uint64_t watched_ = 0;  // its number in a look at a step (loci/inspect.hpp); 0: in none
};

// Ops of the current thread at the stream's place go into it while the guard lives. Nests.
class LOCI_PUBLIC StreamGuard {
 public:
  explicit StreamGuard(const Stream& stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;
};

// Wait for all streams of a place, or of all places. Throw the first error that no wait has thrown
// yet: with the op, its arguments, its place and where in the program it was enqueued. What was
// enqueued holds no tensor any more.
LOCI_PUBLIC void synchronize(const Place& place);
LOCI_PUBLIC void synchronize();

// Ops of the current thread end before they return, while it lives, so that errors are thrown where
// they are made.
class LOCI_PUBLIC SerialMode {
 public:
  SerialMode();
  ~SerialMode();
  SerialMode(const SerialMode&) = delete;
  SerialMode& operator=(const SerialMode&) = delete;

 private:
  bool previous_;
};

}  // namespace v0
}  // namespace loci
