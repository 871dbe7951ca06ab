// A log of what profile sources hand over, until the session takes it.
#pragma once

#include <loci/abi/profile_source.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/profiler/recording.h"

namespace loci::profiler {

// Texts by number.
class TextTable {
 public:
  std::uint32_t intern(std::string_view text);
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

// A loci_device_record whose name is in a table.
struct DeviceRecord {
  loci_device_record record{};
  std::uint32_t name = 0;
};
struct CallRecord {
  loci_call_record record{};
  std::uint32_t name = 0;
};

// Records of one source. Thread-safe.
class DeviceLog {
 public:
  // Beyond `most_records` they are dropped and counted.
  DeviceLog(std::string device_type, std::size_t most_records);
  DeviceLog(const DeviceLog&) = delete;
  DeviceLog& operator=(const DeviceLog&) = delete;

  // For the source. Points to this object.
  [[nodiscard]] const loci_profile_sink& sink() const { return sink_; }

  struct Content {
    std::string device_type;
    std::vector<DeviceRecord> device;
    std::vector<CallRecord> calls;
    std::vector<std::string> texts;
    std::uint64_t dropped = 0;
    std::vector<std::string> notes;
  };
  // Returns what has come since the last take().
  Content take();
  // Forgets the records; notes stay.
  void drop_records();
  // In front of what the source itself says.
  void add_note(std::string_view text);

 private:
  template <class Records, class Given>
  void add(Records& records, const Given* given, std::uint64_t count);

  std::size_t most_records_;
  loci_profile_sink sink_;
  std::mutex mutex_;
  TextTable texts_;
  Content content_;
};

}  // namespace loci::profiler
