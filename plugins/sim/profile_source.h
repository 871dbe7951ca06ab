// The devices' work, for profiles: "loci.profile.source".
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <loci/plugin/profile_source.hpp>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "plugins/sim/work.h"

namespace loci::sim {

// A stream, by numbers.
struct Lane {
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
};

// Any thread may call.
class ProfileSource {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ProfileSource() = default;
  ProfileSource(const ProfileSource&) = delete;
  ProfileSource& operator=(const ProfileSource&) = delete;

  // See loci/abi/profile_source.h.
  void start(std::uint32_t flags, const sdk::ProfileSink& sink);
  void flush();
  void stop();

  [[nodiscard]] bool records_work() const { return (flags_ & LOCI_PROFILE_DEVICE_WORK) != 0; }
  [[nodiscard]] bool records_calls() const { return (flags_ & LOCI_PROFILE_CALLS) != 0; }
  void add(const std::string& name, const WorkFacts& facts, const Lane& lane, Time begin, Time end);
  // `name` is a string literal.
  void add_call(const char* name, std::uint64_t correlation, Time begin, Time end);

 private:
  void hand_over();  // expects the mutex to be held

  std::atomic<std::uint32_t> flags_{0};
  std::mutex mutex_;
  sdk::ProfileSink sink_;
  std::unordered_set<std::string> names_;  // of the records that wait
  std::vector<loci_device_record> work_;
  std::vector<loci_call_record> calls_;
};

// The time of a call of a device's interface, while calls are recorded.
class CallTimer {
 public:
  // `name` is a string literal. The source of the device's plugin outlives the timer.
  CallTimer(ProfileSource& source, const char* name, std::uint64_t correlation = 0)
      : source_(source.records_calls() ? &source : nullptr),
        name_(name),
        correlation_(correlation) {
    if (source_ != nullptr) begin_ = std::chrono::steady_clock::now();
  }
  ~CallTimer() {
    if (source_ == nullptr) return;
    source_->add_call(name_, correlation_, begin_, std::chrono::steady_clock::now());
  }
  CallTimer(const CallTimer&) = delete;
  CallTimer& operator=(const CallTimer&) = delete;

 private:
  ProfileSource* source_;
  const char* name_;
  std::uint64_t correlation_;
  ProfileSource::Time begin_;
};

}  // namespace loci::sim
