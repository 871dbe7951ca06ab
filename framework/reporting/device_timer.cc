#include "framework/reporting/device_timer.h"

#include <fmt/format.h>

#include <deque>
#include <loci/error.hpp>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "framework/core/context.h"
#include "framework/core/log.h"
#include "framework/device/device_manager.h"
#include "framework/device/stream.h"

namespace loci::reporting {

struct DeviceInterval {
  explicit DeviceInterval(device::Device& device)
      : begin(device, device::Event::Timing::kTimed), end(device, device::Event::Timing::kTimed) {}

  device::Event begin;
  device::Event end;
  profiler::StatId stat = 0;
};

namespace {

// So many times of a device may be unknown; then a timer waits for the oldest.
constexpr std::size_t kMostPending = 1024;

using Interval = std::unique_ptr<DeviceInterval>;

void add_time(DeviceInterval& interval) {
  interval.end.synchronize();
  profiler::StatSet::instance().add(interval.stat, interval.begin.ns_until(interval.end));
}

// Errors of a timer are logged: they must not change what the program does.
template <class Body>
void log_errors(Body&& body) noexcept {
  try {
    body();
  } catch (const std::exception& error) {
    core::log(core::Module::kProfiler, core::Level::kWarn, "a device time is lost: {}",
              error.what());
  }
}

}  // namespace

// The times of one device. Thread-safe.
class DeviceTimes {
 public:
  explicit DeviceTimes(device::Device& device) : device_(device) {}

  Interval begin(profiler::StatId host_stat) {
    Interval interval = take(host_stat);
    interval->begin.record(device_.default_stream());
    return interval;
  }
  void end(Interval interval) {
    interval->end.record(device_.default_stream());
    const std::lock_guard lock(mutex_);
    pending_.push_back(std::move(interval));
  }
  void collect() {
    const std::lock_guard lock(mutex_);
    while (!pending_.empty()) finish_oldest();
  }
  void drop() {
    const std::lock_guard lock(mutex_);
    for (Interval& interval : pending_) free_.push_back(std::move(interval));
    pending_.clear();
  }

 private:
  Interval take(profiler::StatId host_stat) {
    const std::lock_guard lock(mutex_);
    log_errors([this] {
      while (!pending_.empty() &&
             (pending_.size() >= kMostPending || pending_.front()->end.done())) {
        finish_oldest();
      }
    });
    Interval interval;
    if (free_.empty()) {
      interval = std::make_unique<DeviceInterval>(device_);
    } else {
      interval = std::move(free_.back());
      free_.pop_back();
    }
    interval->stat = stat_of(host_stat);
    return interval;
  }

  void finish_oldest() {
    Interval interval = std::move(pending_.front());
    pending_.pop_front();
    log_errors([&] { add_time(*interval); });
    free_.push_back(std::move(interval));
  }

  profiler::StatId stat_of(profiler::StatId host_stat) {
    const auto found = stats_.find(host_stat);
    if (found != stats_.end()) return found->second;
    const profiler::StatId stat = profiler::stat_id(
        fmt::format("{}@{}", profiler::stat_name(host_stat), device_.place().to_string()));
    stats_.emplace(host_stat, stat);
    return stat;
  }

  device::Device& device_;
  std::mutex mutex_;
  std::deque<Interval> pending_;  // in order of their ends
  std::vector<Interval> free_;
  std::map<profiler::StatId, profiler::StatId> stats_;  // by the stat of the host
};

namespace {

// The times of all devices of the context that have been timed.
struct AllTimes {
  static constexpr auto kContextSlot = core::ContextSlot::kDeviceTimes;
  static AllTimes& instance() { return core::in_context<AllTimes>(); }
  DeviceTimes& of(device::Device& device) {
    const std::lock_guard lock(mutex);
    return by_device.try_emplace(&device, device).first->second;
  }
  template <class Body>
  void for_each(Body body) {
    const std::lock_guard lock(mutex);
    for (auto& entry : by_device) body(entry.second);
  }

  std::mutex mutex;
  std::map<device::Device*, DeviceTimes> by_device;
};

}  // namespace

std::unique_ptr<DeviceTimer> DeviceTimer::begin(const Place& place, profiler::StatId host_stat) {
  if (place.is_host()) return nullptr;
  auto& manager = device::DeviceManager::instance();
  device::Device& device = manager.get(manager.resolve(place, Place()));
  if (device.default_stream() == nullptr || device.api().event_elapsed_ns == nullptr) {
    return nullptr;
  }
  return std::unique_ptr<DeviceTimer>(new DeviceTimer(AllTimes::instance().of(device), host_stat));
}

DeviceTimer::DeviceTimer(DeviceTimes& times, profiler::StatId host_stat)
    : times_(times), interval_(times.begin(host_stat)) {}

DeviceTimer::~DeviceTimer() {
  log_errors([this] { times_.end(std::move(interval_)); });
}

void collect_device_times() {
  AllTimes::instance().for_each([](DeviceTimes& times) { times.collect(); });
}

void drop_device_times() {
  AllTimes::instance().for_each([](DeviceTimes& times) { times.drop(); });
}

}  // namespace loci::reporting
