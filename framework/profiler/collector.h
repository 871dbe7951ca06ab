// Starts and ends recording, and gathers what the threads have recorded.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "framework/core/context.h"
#include "framework/profiler/chunk.h"
#include "framework/profiler/clock.h"
#include "framework/profiler/enabled.h"
#include "framework/profiler/thread_log.h"

namespace loci::profiler {

// Called while spans open and close; see loci/abi/profile_reporter.h.
class LiveRanges {
 public:
  virtual ~LiveRanges() = default;
  virtual void begin(LabelId label) noexcept = 0;
  virtual void end() noexcept = 0;
};

struct CollectorOptions {
  Level level = Level::kOp;
  // The memory of records, over all threads. Once it is used up, records are dropped and counted.
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;
  // Not zero: only what ended in that time before the end is kept, and old records make room.
  std::chrono::nanoseconds keep_last{0};
  LiveRanges* live = nullptr;  // valid until end() has returned
};

// Records of one thread, in ticks.
struct ThreadRecords {
  std::uint64_t os_id = 0;
  std::string name;
  std::vector<Record> records;
};

// The harvest is what was recorded between begin() and end().
struct Harvest {
  std::uint64_t begin_ticks = 0;
  std::uint64_t end_ticks = 0;
  std::vector<ClockSample> clock;
  std::vector<ThreadRecords> threads;
  ThreadLog::Dropped dropped;
  std::uint64_t own_cost_ns = 0;     // records times what one costs, measured at begin()
  std::uint64_t keeper_cost_ns = 0;  // processor time of the thread that watches
};

// One in a context. Recording goes on in one period at a time; between begin() and end() a thread
// of its own samples the clocks and keeps memory ready.
class Collector {
 public:
  static constexpr auto kContextSlot = core::ContextSlot::kRecording;
  // That of the current context.
  static Collector& instance() { return core::in_context<Collector>(); }

  // begin() and end() alternate, called by one thread at a time.
  void begin(const CollectorOptions& options);
  Harvest end();

  // See enabled.h.
  [[nodiscard]] std::uint32_t word(std::memory_order order) const noexcept {
    return word_.load(order);
  }

  // For scopes.
  ThreadLog& log_of_this_thread();
  // Calls `call` with the live ranges if there are any; end() waits for it.
  template <class Call>
  void with_live(Call call) noexcept {
    live_users_.fetch_add(1);
    if (LiveRanges* live = live_.load()) call(*live);
    live_users_.fetch_sub(1);
  }

 private:
  void keep(core::Context& context);
  void measure_scope_cost();
  std::vector<ThreadRecords> take_records(std::uint64_t now, ThreadLog::Dropped* dropped);

  std::atomic<std::uint32_t> word_{0};
  ChunkPool pool_;
  std::atomic<bool> recycles_{false};
  std::atomic<LiveRanges*> live_{nullptr};
  std::atomic<std::uint32_t> live_users_{0};
  CollectorOptions options_;
  std::uint32_t epoch_ = 0;
  double scope_cost_ns_ = 0;
  Harvest harvest_;

  std::mutex logs_mutex_;
  std::vector<std::shared_ptr<ThreadLog>> logs_;  // in order of their first record

  std::mutex keeper_mutex_;
  std::condition_variable keeper_wakes_;
  bool keeper_ends_ = false;
  std::thread keeper_;
};

}  // namespace loci::profiler
