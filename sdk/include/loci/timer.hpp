// Timers: how long parts of a program take, summed by name.
//
//   {
//     LOCI_TIMER("load");                              // until the end of the block
//     LOCI_TIMER("forward", executor.place());         // the device too, as "forward@sim:0"
//     LOCI_TIMER_INFO("backward", "numSamples = 10");  // says more of it
//     ...
//   }
//   loci::print_all_status();
//
// prints one line for each name, in milliseconds:
//
//   Stat=load                           total=136.141    avg=136.141    max=136.141    ...
//
// A timer takes the time of the host; it waits for no device. While a profile session runs it is a
// user range of that too. It costs two reads of the clock and a few nanoseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/config.hpp>
#include <loci/export.hpp>
#include <loci/place.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace loci {
namespace reporting {
class DeviceTimer;
}

inline namespace v0 {

// The place of a timer in the source, which knows its name from the first time on.
class TimerSite {
 public:
  constexpr TimerSite() = default;

 private:
  friend class ScopeTimer;
  std::atomic<std::uint32_t> stat_{0};  // 0: not used yet, else the number of the stat, plus one
};

// The text that a timer shows. A literal is not copied: a `const char*` has to stay valid as long
// as the timer.
class TimerInfo {
 public:
  TimerInfo(const char* text) : text_(text) {}             // NOLINT
  TimerInfo(std::string text) : kept_(std::move(text)) {}  // NOLINT
  [[nodiscard]] const char* c_str() const { return text_ != nullptr ? text_ : kept_.c_str(); }

 private:
  const char* text_ = nullptr;
  std::string kept_;
};

// From its construction to its end, on one thread. Made by the macros below.
class LOCI_PUBLIC ScopeTimer {
 public:
  // `name` counts the first time that the site is passed.
  ScopeTimer(TimerSite& site, std::string_view name) : ScopeTimer(site, name, "", nullptr) {}
  // On a device whose work is enqueued, also what passes on its default stream meanwhile, summed as
  // "name@place"; the time is known when the device has come so far. Opens the device; throws Error
  // as Executor does if it cannot.
  ScopeTimer(TimerSite& site, std::string_view name, const Place& place)
      : ScopeTimer(site, name, "", &place) {}
  // A time of 10 s or more is logged at once: "Stat: [name] info [Span:10000ms0us]", level info of
  // the profiler.
  ~ScopeTimer();
  ScopeTimer(const ScopeTimer&) = delete;
  ScopeTimer& operator=(const ScopeTimer&) = delete;

 protected:
  ScopeTimer(TimerSite& site, std::string_view name, TimerInfo&& info, const Place* place);

 private:
  TimerInfo info_;
  std::unique_ptr<reporting::DeviceTimer> device_;
  std::uint64_t begin_ = 0;
  std::uint32_t stat_ = 0;
  std::uint32_t word_ = 0;  // of the profile session; 0: none
};

class InfoTimer : public ScopeTimer {
 public:
  InfoTimer(TimerSite& site, std::string_view name, TimerInfo info)
      : ScopeTimer(site, name, std::move(info), nullptr) {}
  InfoTimer(TimerSite& site, std::string_view name, TimerInfo info, const Place& place)
      : ScopeTimer(site, name, std::move(info), &place) {}
};

// Prints the line of that name to standard output. False if no timer of that name has ended.
LOCI_PUBLIC bool print_status(const std::string& name);
// Prints all, by name; waits for device times that are not known yet.
LOCI_PUBLIC void print_all_status();
// Returns the text that print_all_status() prints.
LOCI_PUBLIC std::string all_status();
// Forgets the times, of threads that have ended too.
LOCI_PUBLIC void reset_all_status();

// A part of the program that an external profiler of a vendor is to record: tells the backends of
// the devices that are open. Of those that lie in each other or overlap, on any thread, the first
// begins it and the last ends it, and none waits for another. Does nothing where a backend has no
// such profiler. Logs `Enable GPU Profiler Stat: [name] "info"`, level info of the profiler.
class LOCI_PUBLIC GpuProfilerRange {
 public:
  GpuProfilerRange(std::string_view name, std::string_view info);
  ~GpuProfilerRange();
  GpuProfilerRange(const GpuProfilerRange&) = delete;
  GpuProfilerRange& operator=(const GpuProfilerRange&) = delete;
};

}  // namespace v0
}  // namespace loci

#define LOCI_DETAIL_JOIN_TEXTS(a, b) a##b
#define LOCI_DETAIL_JOIN(a, b) LOCI_DETAIL_JOIN_TEXTS(a, b)
#define LOCI_DETAIL_TIMER(Timer, ...)                                    \
  static ::loci::TimerSite LOCI_DETAIL_JOIN(loci_timer_site_, __LINE__); \
  const ::loci::Timer LOCI_DETAIL_JOIN(loci_timer_, __LINE__)(           \
      LOCI_DETAIL_JOIN(loci_timer_site_, __LINE__), __VA_ARGS__)

// LOCI_TIMER(name), LOCI_TIMER(name, place), LOCI_TIMER_INFO(name, info) and
// LOCI_TIMER_INFO(name, info, place): a timer until the end of the block. Compiled out, they do not
// evaluate their arguments.
#if LOCI_WITH_TIMER && !defined(LOCI_DISABLE_TIMER)
#define LOCI_TIMER(...) LOCI_DETAIL_TIMER(ScopeTimer, __VA_ARGS__)
#define LOCI_TIMER_INFO(...) LOCI_DETAIL_TIMER(InfoTimer, __VA_ARGS__)
#else
#define LOCI_TIMER(...) static_assert(true)
#define LOCI_TIMER_INFO(...) static_assert(true)
#endif

// LOCI_GPU_PROFILER(name, info): a GpuProfilerRange until the end of the block.
#if LOCI_WITH_PROFILER
#define LOCI_GPU_PROFILER(name, info) \
  const ::loci::GpuProfilerRange LOCI_DETAIL_JOIN(loci_gpu_profiler_, __LINE__)(name, info)
#else
#define LOCI_GPU_PROFILER(name, info) static_assert(true)
#endif
