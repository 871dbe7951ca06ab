// The times of a queued device's work, where a session wants them and no profile source gives them.
#pragma once

#include <loci/abi/profile.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "framework/device/device.h"

namespace loci::device {

// A launch, copy or fill that is to be timed.
struct Work {
  std::uint64_t correlation = 0;
  std::uint32_t kind = LOCI_DEVICE_WORK_KERNEL;
  std::uint32_t direction = LOCI_COPY_UNKNOWN;  // of a copy
  std::uint64_t bytes = 0;                      // of a copy or a fill
  std::string_view name;                        // for the call
};

// A session that wants times. Its functions are called by any thread, and do not throw.
class WorkTimer {
 public:
  struct Interval {};

  virtual ~WorkTimer() = default;
  // The work is about to be enqueued in that stream of the device; null where this timer does not
  // time that device.
  virtual Interval* begin(Device& device, loci_stream* stream, const Work& work) noexcept = 0;
  // It has been enqueued, or has failed.
  virtual void end(Interval& interval, loci_stream* stream) noexcept = 0;
};

// Several contexts may have one each; the first that times a device has its work. Work that is
// being enqueued keeps the timer that it began with.
void add_work_timer(std::shared_ptr<WorkTimer> timer);
// Does nothing for a timer that was not added.
void remove_work_timer(const WorkTimer& timer);

namespace detail {
inline std::atomic<bool> times_work{false};
}

// Returns true if any timer has been added.
inline bool times_work() noexcept { return detail::times_work.load(std::memory_order_acquire); }

// Stands around one launch, copy or fill by one thread. One load where nobody wants times.
class TimedWork {
 public:
  TimedWork(Device& device, loci_stream* stream, const Work& work) {
    if (times_work()) [[unlikely]]
      begin(device, stream, work);
  }
  ~TimedWork() {
    if (interval_ != nullptr) [[unlikely]]
      timer_->end(*interval_, stream_);
  }
  TimedWork(const TimedWork&) = delete;
  TimedWork& operator=(const TimedWork&) = delete;

 private:
  void begin(Device& device, loci_stream* stream, const Work& work);

  std::shared_ptr<WorkTimer> timer_;
  WorkTimer::Interval* interval_ = nullptr;
  loci_stream* stream_ = nullptr;
};

}  // namespace loci::device
