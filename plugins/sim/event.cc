#include "plugins/sim/event.h"

#include <fmt/format.h>

#include <chrono>
#include <loci/plugin/error.hpp>

#include "plugins/sim/device.h"
#include "plugins/sim/stream.h"

namespace loci::sim {
namespace {

Mark::Time time_of(const std::shared_ptr<Mark>& mark, const char* which) {
  if (mark == nullptr) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                     fmt::format("[sim] the {} event was never recorded; record it", which));
  }
  if (!mark->reached()) {
    throw sdk::Error(LOCI_CODE_UNAVAILABLE,
                     fmt::format("[sim] the {} event has not happened yet; wait for it", which));
  }
  return mark->time();
}

}  // namespace

void Event::record(Stream* stream) {
  device_.failures().enter_call(device_.failures().faults().event, LOCI_CODE_FAILED,
                                "event_record");
  // Under the lock, so that the latest mark is the one that came into the stream last.
  const std::lock_guard lock(mutex_);
  latest_ = device_.required(stream, "event_record").mark();
}

bool Event::query() {
  device_.failures().require_present();
  const std::shared_ptr<Mark> mark = latest();
  if (mark == nullptr) return true;
  if (!mark->reached()) return false;
  host_saw(*mark);
  return true;
}

void Event::synchronize() {
  if (const std::shared_ptr<Mark> mark = latest()) {
    mark->wait();
    host_saw(*mark);
  }
  device_.failures().require_present();
}

std::uint64_t Event::ns_until(Event& end) {
  if (!is_timed_ || !end.is_timed_) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                     "[sim] an event does not measure time; create both with LOCI_EVENT_TIMED");
  }
  const Mark::Time from = time_of(latest(), "first");
  const Mark::Time to = time_of(end.latest(), "second");
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
  return ns < 0 ? 0 : static_cast<std::uint64_t>(ns);
}

std::shared_ptr<Mark> Event::latest() {
  const std::lock_guard lock(mutex_);
  return latest_;
}

void Event::host_saw(const Mark& mark) const {
  if (RaceChecker* races = device_.machine().races.get()) races->host_saw(mark.known());
}

}  // namespace loci::sim
