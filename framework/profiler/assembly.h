// Makes a recording of what the collector and the sources gave.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/profiler/clock.h"
#include "framework/profiler/collector.h"
#include "framework/profiler/device_log.h"
#include "framework/profiler/label_table.h"
#include "framework/profiler/recording.h"

namespace loci::profiler {

// A session may record in several periods. They follow each other on its time axis, as if nothing
// lay between them.
class Assembly {
 public:
  explicit Assembly(const LabelTable& labels) : table_(labels) {}

  // The session's own facts: state, machine and so on; threads, spans and quality are added here.
  Recording& recording() { return recording_; }

  // Begins with a period; what sources recorded in it comes after it. `keep_last_ns`, if it is not
  // 0, cuts off what ended longer before its end.
  void add_period(const Harvest& harvest, std::uint64_t keep_last_ns = 0);
  // Adds to the latest period. What ended before it or began after it is left out.
  void add_device_log(const DeviceLog::Content& content);
  // A step, in ticks of the latest period.
  void add_step(std::uint64_t begin_ticks, std::uint64_t end_ticks, std::uint64_t number);
  // Adds what is known of devices, whether they did anything or not.
  void add_devices(const std::vector<DeviceFacts>& facts);
  // Ends the recording; `main_os_id` is the os_thread of the thread that began the session.
  Recording finish(std::uint64_t main_os_id);

 private:
  struct Period {
    std::uint64_t begin_ns = 0;  // of the monotonic clock
    std::uint64_t end_ns = 0;
    std::uint64_t offset_ns = 0;  // on the session's axis
  };

  [[nodiscard]] std::uint64_t session_ns(std::uint64_t monotonic) const;
  void add_thread(const ThreadRecords& thread, std::uint64_t oldest_ns);
  void add_memory(const Record& record, std::uint32_t thread);
  Thread& thread_of(std::uint64_t os_id, const std::string& name);
  LabelId label_of(LabelId in_table);
  LabelId call_label(const std::string& name);
  std::uint32_t device_of(const std::string& place);
  std::uint32_t stream_of(std::uint32_t device, std::uint32_t number);
  void add_drops(std::string_view kind, std::uint64_t count);

  const LabelTable& table_;
  Recording recording_;
  Period period_;
  std::vector<ClockFit> fit_;  // of the latest period; one or none
  TextTable texts_;
  std::unordered_map<LabelId, LabelId> labels_;  // from the table's number
  std::unordered_map<std::string, LabelId> calls_;
  std::unordered_map<std::uint64_t, std::size_t> threads_;  // by os id
  std::vector<std::vector<std::uint32_t>> streams_;         // by device, the sources' numbers
};

}  // namespace loci::profiler
