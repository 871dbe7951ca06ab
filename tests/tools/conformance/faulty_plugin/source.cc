#include "source.h"

#include <chrono>

#include "fault.h"

namespace loci::faulty {

std::uint64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void Source::start(std::uint32_t, const sdk::ProfileSink& sink) {
  const std::lock_guard lock(mutex_);
  sink_ = sink;
  is_started_ = true;
}

void Source::flush() {
  const std::lock_guard lock(mutex_);
  hand_over();
}

void Source::stop() {
  const std::lock_guard lock(mutex_);
  hand_over();
  is_started_ = has("record_after_stop");
}

void Source::add(const Work& work, std::uint64_t begin_ns, std::uint64_t end_ns) {
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  const std::lock_guard lock(mutex_);
  if (!is_started_) return;
  if (has("lost_record") && work.direction == LOCI_COPY_DEVICE_TO_HOST) return;
  if (has("lost_launch") && work.kind == LOCI_DEVICE_WORK_KERNEL) return;
  loci_device_record record{};
  record.begin_ns = begin_ns + (has("other_clock") ? kHour : 0);
  record.end_ns = end_ns + (has("other_clock") ? kHour : 0);
  record.correlation = work.correlation + (has("wrong_correlation") ? 1 : 0);
  record.bytes = work.bytes;
  record.name = sdk::to_abi("work");
  record.kind = work.kind;
  record.direction = work.direction;
  record.graph = work.graph;
  record.replay = work.replay;
  records_.push_back(record);
  if (has("record_twice")) records_.push_back(record);
  if (has("record_after_stop")) hand_over();
}

void Source::hand_over() {
  if (!records_.empty()) sink_.device_records(records_.data(), records_.size());
  records_.clear();
}

}  // namespace loci::faulty
