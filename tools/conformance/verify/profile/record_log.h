// Logs what a profile source hands over, and any call that it makes when it may not.
#pragma once

#include <loci/abi/profile_source.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace loci::verify {

// The sink of a source under test. Thread-safe. Names are not kept.
class RecordLog {
 public:
  RecordLog();
  RecordLog(const RecordLog&) = delete;
  RecordLog& operator=(const RecordLog&) = delete;

  [[nodiscard]] const loci_profile_sink& sink() const { return sink_; }
  // From now on the source may not call: stop has returned.
  void close() { closed_ = true; }

  [[nodiscard]] std::vector<loci_device_record> work() const;
  [[nodiscard]] std::vector<loci_call_record> calls() const;
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  // Calls of the sink since close().
  [[nodiscard]] std::uint64_t late() const { return late_; }

 private:
  static RecordLog& from(void* context) { return *static_cast<RecordLog*>(context); }
  bool takes();

  loci_profile_sink sink_{};
  mutable std::mutex mutex_;
  std::vector<loci_device_record> work_;
  std::vector<loci_call_record> calls_;
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> late_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace loci::verify
