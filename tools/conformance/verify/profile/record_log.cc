#include "tools/conformance/verify/profile/record_log.h"

namespace loci::verify {

RecordLog::RecordLog() {
  sink_.struct_size = sizeof sink_;
  sink_.minor = LOCI_PROFILE_SOURCE_MINOR;
  sink_.context = this;
  sink_.device_records = [](void* context, const loci_device_record* records, std::uint64_t count) {
    RecordLog& log = from(context);
    if (!log.takes()) return;
    const std::lock_guard lock(log.mutex_);
    log.work_.insert(log.work_.end(), records, records + count);
  };
  sink_.call_records = [](void* context, const loci_call_record* records, std::uint64_t count) {
    RecordLog& log = from(context);
    if (!log.takes()) return;
    const std::lock_guard lock(log.mutex_);
    log.calls_.insert(log.calls_.end(), records, records + count);
  };
  sink_.dropped = [](void* context, std::uint64_t count) {
    if (from(context).takes()) from(context).dropped_ += count;
  };
  sink_.note = [](void* context, loci_str) { static_cast<void>(from(context).takes()); };
}

bool RecordLog::takes() {
  if (closed_) ++late_;
  return !closed_;
}

std::vector<loci_device_record> RecordLog::work() const {
  const std::lock_guard lock(mutex_);
  return work_;
}

std::vector<loci_call_record> RecordLog::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

}  // namespace loci::verify
