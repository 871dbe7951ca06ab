#include "framework/reporting/event_times.h"

#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/core/log.h"
#include "framework/device/stream.h"
#include "framework/profiler/clock.h"

namespace loci::reporting {

struct EventInterval : device::WorkTimer::Interval {
  explicit EventInterval(device::Device& device)
      : device(device), begin(device, kTimed), end(device, kTimed) {}

  static constexpr auto kTimed = device::Event::Timing::kTimed;
  device::Device& device;
  device::Event begin;
  device::Event end;
  loci_device_record record{};
  std::string name;
};

namespace {

// Errors of a time must not change what the program does. Returns true if there was none.
template <class Body>
bool time_attempt(Body&& body) noexcept {
  try {
    body();
    return true;
  } catch (const std::exception& error) {
    core::log(core::Module::kProfiler, core::Level::kDebug, "a device time is lost: {}",
              error.what());
    return false;
  }
}

}  // namespace

// The events of one device, and what becomes of them.
class EventTimes::Watched {
 public:
  // So many intervals are kept at most before their times are asked for.
  static constexpr std::size_t kMostPending = 4096;

  Watched(device::Device& device, std::shared_ptr<profiler::DeviceLog> log)
      : device_(device), log_(std::move(log)), now_(device, EventInterval::kTimed) {}

  Interval* begin(loci_stream* stream, const device::Work& work) {
    std::unique_ptr<EventInterval> interval = take(stream, work);
    interval->begin.record(stream);
    return interval.release();
  }

  void end(std::unique_ptr<EventInterval> interval, loci_stream* stream) {
    if (!time_attempt([&] { interval->end.record(stream); })) return lose(1);
    bool is_full = false;
    {
      const std::lock_guard lock(mutex_);
      pending_.push_back(std::move(interval));
      is_full = pending_.size() >= kMostPending;
    }
    if (is_full) flush();
  }

  void flush() {
    std::vector<std::unique_ptr<EventInterval>> known;
    {
      const std::lock_guard lock(mutex_);
      known.swap(pending_);
    }
    if (known.empty()) return;
    const std::lock_guard flushing(flush_mutex_);
    if (!time_attempt([&] { give(known); })) lose(known.size());
    const std::lock_guard lock(mutex_);
    for (auto& interval : known) free_.push_back(std::move(interval));
  }

 private:
  using Intervals = std::vector<std::unique_ptr<EventInterval>>;

  std::unique_ptr<EventInterval> take(loci_stream* stream, const device::Work& work) {
    std::unique_ptr<EventInterval> interval;
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      interval = std::make_unique<EventInterval>(device_);
    } else {
      interval = std::move(free_.back());
      free_.pop_back();
    }
    interval->record = {};
    interval->record.correlation = work.correlation;
    interval->record.bytes = work.bytes;
    interval->record.kind = work.kind;
    interval->record.direction = work.direction;
    interval->record.device = static_cast<std::uint32_t>(device_.place().index());
    interval->record.stream =
        streams_.try_emplace(stream, static_cast<std::uint32_t>(streams_.size())).first->second;
    interval->name = work.name;
    return interval;
  }

  // Devices tell how long it is between two events, so that a last one, whose moment the host
  // knows, says when the others were.
  void give(const Intervals& known) {
    for (const auto& interval : known) interval->end.synchronize();
    const std::uint64_t now_ns = moment_of_now(known.front()->begin);
    std::vector<loci_device_record> records;
    records.reserve(known.size());
    for (const auto& interval : known) {
      loci_device_record& record = records.emplace_back(interval->record);
      record.begin_ns = now_ns - interval->begin.ns_until(now_);
      record.end_ns = record.begin_ns + interval->begin.ns_until(interval->end);
      record.name = core::to_abi(interval->name);
    }
    log_->sink().device_records(log_->sink().context, records.data(), records.size());
  }

  // When the latest record of now_ was reached. It lay between two looks at the host's clock; the
  // closest two of several say most.
  std::uint64_t moment_of_now(device::Event& earlier) {
    static constexpr int kTries = 5;
    std::uint64_t least = UINT64_MAX;
    std::uint64_t moment_of_earlier = 0;
    std::uint64_t passed = 0;
    for (int i = 0; i < kTries; ++i) {
      const std::uint64_t before = profiler::monotonic_ns();
      now_.record(device_.default_stream());
      now_.synchronize();
      const std::uint64_t apart = profiler::monotonic_ns() - before;
      passed = earlier.ns_until(now_);
      if (apart >= least) continue;
      least = apart;
      moment_of_earlier = before + apart / 2 - passed;
    }
    return moment_of_earlier + passed;
  }

  void lose(std::size_t count) { log_->sink().dropped(log_->sink().context, count); }

  device::Device& device_;
  std::shared_ptr<profiler::DeviceLog> log_;
  std::mutex flush_mutex_;
  device::Event now_;  // under flush_mutex_
  std::mutex mutex_;
  Intervals pending_;
  Intervals free_;
  std::map<loci_stream*, std::uint32_t> streams_;  // numbered as they come
};

EventTimes::EventTimes() = default;
EventTimes::~EventTimes() = default;

bool EventTimes::watch(device::Device& device, std::shared_ptr<profiler::DeviceLog> log) {
  if (device.default_stream() == nullptr || device.api().event_elapsed_ns == nullptr) return false;
  return time_attempt([&] {
    auto watched = std::make_unique<Watched>(device, std::move(log));
    const std::lock_guard lock(mutex_);
    watched_.emplace(&device, std::move(watched));
  });
}

EventTimes::Watched* EventTimes::find(const device::Device& device) {
  const std::lock_guard lock(mutex_);
  const auto found = watched_.find(&device);
  return found == watched_.end() ? nullptr : found->second.get();
}

void EventTimes::flush() {
  std::vector<Watched*> all;
  {
    const std::lock_guard lock(mutex_);
    for (auto& entry : watched_) all.push_back(entry.second.get());
  }
  for (Watched* watched : all) watched->flush();
}

device::WorkTimer::Interval* EventTimes::begin(device::Device& device, loci_stream* stream,
                                               const device::Work& work) noexcept {
  Interval* interval = nullptr;
  time_attempt([&] {
    if (Watched* watched = find(device)) interval = watched->begin(stream, work);
  });
  return interval;
}

void EventTimes::end(Interval& interval, loci_stream* stream) noexcept {
  std::unique_ptr<EventInterval> own(static_cast<EventInterval*>(&interval));
  time_attempt([&] {
    if (Watched* watched = find(own->device)) watched->end(std::move(own), stream);
  });
}

}  // namespace loci::reporting
