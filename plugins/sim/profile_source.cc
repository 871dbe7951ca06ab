#include "plugins/sim/profile_source.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace loci::sim {
namespace {

// So many records are handed over at once.
constexpr std::size_t kBatch = 256;

// The host's now_ns is the steady clock too.
std::uint64_t ns(ProfileSource::Time time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

std::uint64_t this_thread() {
  thread_local const auto id = static_cast<std::uint64_t>(syscall(SYS_gettid));
  return id;
}

}  // namespace

void ProfileSource::start(std::uint32_t flags, const sdk::ProfileSink& sink) {
  const std::lock_guard lock(mutex_);
  sink_ = sink;
  flags_ = flags;
}

void ProfileSource::flush() {
  const std::lock_guard lock(mutex_);
  hand_over();
}

void ProfileSource::stop() {
  const std::lock_guard lock(mutex_);
  if (flags_ != 0) hand_over();
  flags_ = 0;
}

void ProfileSource::add(const std::string& name, const WorkFacts& facts, const Lane& lane,
                        Time begin, Time end) {
  const std::lock_guard lock(mutex_);
  if (!records_work()) return;
  loci_device_record record{};
  record.begin_ns = ns(begin);
  record.end_ns = ns(end);
  record.correlation = facts.correlation;
  record.bytes = facts.bytes;
  record.kind = facts.kind;
  record.direction = facts.direction;
  record.device = lane.device;
  record.stream = lane.stream;
  record.graph = facts.graph;
  record.replay = facts.replay;
  try {
    record.name = sdk::to_abi(*names_.insert(name).first);
    work_.push_back(record);
  } catch (const std::bad_alloc&) {
    sink_.dropped(1);
  }
  if (work_.size() >= kBatch) hand_over();
}

void ProfileSource::add_call(const char* name, std::uint64_t correlation, Time begin, Time end) {
  const std::lock_guard lock(mutex_);
  if (!records_calls()) return;  // a timer that outlasted the session
  try {
    calls_.push_back({ns(begin), ns(end), correlation, this_thread(), sdk::to_abi(name)});
  } catch (const std::bad_alloc&) {
    sink_.dropped(1);
  }
  if (calls_.size() >= kBatch) hand_over();
}

void ProfileSource::hand_over() {
  if (!work_.empty()) sink_.device_records(work_.data(), work_.size());
  if (!calls_.empty()) sink_.call_records(calls_.data(), calls_.size());
  work_.clear();
  calls_.clear();
  names_.clear();
}

}  // namespace loci::sim
