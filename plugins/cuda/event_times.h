// When a device did its work, by events of the driver around it: for profiles where CUPTI is not.
#pragma once

#include <loci/abi/profile_source.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <loci/plugin/host.hpp>
#include <loci/plugin/profile_source.hpp>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "clock_fit.h"
#include "driver.h"

namespace loci::cuda {

class Device;

// Which session is timed so, of all devices of a plugin.
class EventSession {
 public:
  // Returns true if a session of any plugin is timed so.
  [[nodiscard]] static bool is_any_running() {
    return running.load(std::memory_order_relaxed) != 0;
  }

  // 0: none.
  [[nodiscard]] std::uint64_t number() const { return number_.load(std::memory_order_acquire); }
  // While there is one.
  [[nodiscard]] const sdk::ProfileSink& sink() const { return sink_; }

  // Not while a device still takes part in one.
  void begin(const sdk::ProfileSink& sink) {
    sink_ = sink;
    number_.store(++last_, std::memory_order_release);
    running.fetch_add(1, std::memory_order_relaxed);
  }
  void end() {
    running.fetch_sub(1, std::memory_order_relaxed);
    number_.store(0, std::memory_order_release);
  }

 private:
  static inline std::atomic<int> running{0};
  std::atomic<std::uint64_t> number_{0};
  std::uint64_t last_ = 0;
  sdk::ProfileSink sink_;
};

// The events around a piece of work.
struct EventPair {
  CUevent begin = nullptr;
  CUevent end = nullptr;
  std::uint64_t session = 0;
};

// The facts about work that are known before it is done.
struct TimedWork {
  std::uint32_t kind = LOCI_DEVICE_WORK_KERNEL;  // LOCI_DEVICE_WORK_*
  std::uint64_t correlation = 0;
  std::string_view op{};                        // of a kernel its operator; STATIC
  std::uint32_t direction = LOCI_COPY_UNKNOWN;  // of a copy
  std::uint64_t bytes = 0;                      // of a copy or a fill
  std::uint32_t graph = 0;                      // whose replay it is; 0: none
  std::uint64_t replay = 0;
};

// The timed work of one device, whose context is current in each call. Thread-safe. Memory and
// events are bounded: work beyond that is counted as dropped.
class EventTimes {
 public:
  EventTimes(Device& device, const EventSession& session, const sdk::Host& host);
  EventTimes(const EventTimes&) = delete;
  EventTimes& operator=(const EventTimes&) = delete;

  // Takes part in the session from now on, unless it does. What is timed does so by itself.
  void join();
  // Around work that is enqueued in between. None where no session is, where the stream records a
  // graph, or where there is no event for it.
  [[nodiscard]] std::optional<EventPair> begin(CUstream stream) noexcept;
  void end(const EventPair& pair, CUstream stream, const TimedWork& work) noexcept;
  // Hands over what is done. The device has nothing else to do: the clocks are compared.
  void flush();
  // Ends the part in the session. What is not done is dropped. Also gives the events back.
  void leave();

 private:
  struct Pending {
    EventPair pair;
    std::uint32_t stream;
    TimedWork work;
  };
  enum class Reading { kDone, kNotDone, kFailed };

  void join_locked();
  void leave_locked();
  [[nodiscard]] std::optional<EventPair> take();
  [[nodiscard]] bool make(CUevent& event);
  void destroy(const EventPair& pair);
  void compare_clocks();
  void harvest(std::size_t most);
  [[nodiscard]] Reading read(Pending& pending, loci_device_record& record);
  [[nodiscard]] std::optional<double> ns_between(CUevent begin, CUevent end,
                                                 Reading& reading) const;

  Device& device_;
  const EventSession& session_;
  const sdk::Host& host_;

  std::mutex mutex_;
  std::uint64_t joined_ = 0;  // the session's number; 0: none
  std::vector<EventPair> free_;
  std::size_t made_ = 0;
  std::deque<Pending> pending_;  // in the order of their ends
  std::uint64_t dropped_ = 0;
  // Times are told from an event that is not long ago, because the driver tells them in floats.
  CUevent origin_ = nullptr;
  CUevent mark_ = nullptr;
  std::uint64_t origin_ns_ = 0;
  ClockFit clock_;
};

}  // namespace loci::cuda
