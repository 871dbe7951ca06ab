#include "framework/profiler/device_log.h"

#include <algorithm>
#include <utility>

namespace loci::profiler {
namespace {

std::string_view view(loci_str text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

DeviceLog& log_of(void* context) { return *static_cast<DeviceLog*>(context); }

}  // namespace

std::uint32_t TextTable::intern(std::string_view text) {
  const auto [entry, added] =
      index_.emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (added) texts_.emplace_back(text);
  return entry->second;
}

DeviceLog::DeviceLog(std::string device_type, std::size_t most_records)
    : most_records_(most_records), sink_{} {
  content_.device_type = std::move(device_type);
  sink_.struct_size = sizeof sink_;
  sink_.minor = LOCI_PROFILE_SOURCE_MINOR;
  sink_.context = this;
  sink_.device_records = [](void* context, const loci_device_record* records, std::uint64_t count) {
    DeviceLog& log = log_of(context);
    log.add(log.content_.device, records, count);
  };
  sink_.call_records = [](void* context, const loci_call_record* records, std::uint64_t count) {
    DeviceLog& log = log_of(context);
    log.add(log.content_.calls, records, count);
  };
  sink_.dropped = [](void* context, std::uint64_t count) {
    DeviceLog& log = log_of(context);
    const std::lock_guard lock(log.mutex_);
    log.content_.dropped += count;
  };
  sink_.note = [](void* context, loci_str text) { log_of(context).add_note(view(text)); };
}

template <class Records, class Given>
void DeviceLog::add(Records& records, const Given* given, std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  const std::size_t held = content_.device.size() + content_.calls.size();
  const std::uint64_t taken =
      std::min<std::uint64_t>(count, most_records_ - std::min(held, most_records_));
  content_.dropped += count - taken;
  for (std::uint64_t i = 0; i < taken; ++i) {
    records.push_back({given[i], texts_.intern(view(given[i].name))});
    records.back().record.name = {nullptr, 0};  // borrowed for the call
  }
}

void DeviceLog::add_note(std::string_view text) {
  const std::lock_guard lock(mutex_);
  content_.notes.push_back(std::string(content_.device_type).append(": ").append(text));
}

void DeviceLog::drop_records() {
  const std::lock_guard lock(mutex_);
  content_.device.clear();
  content_.calls.clear();
  content_.dropped = 0;
}

DeviceLog::Content DeviceLog::take() {
  const std::lock_guard lock(mutex_);
  Content taken = std::move(content_);
  taken.texts = texts_.texts();
  content_ = {};
  content_.device_type = taken.device_type;
  return taken;
}

}  // namespace loci::profiler
