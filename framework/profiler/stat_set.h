// Times summed by name, each thread on its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "framework/core/context.h"
#include "framework/profiler/stat_names.h"

namespace loci::profiler {

struct StatTotals {
  std::uint64_t total_ns = 0;
  std::uint64_t max_ns = 0;
  std::uint64_t min_ns = UINT64_MAX;
  std::uint64_t count = 0;

  void add(std::uint64_t ns) noexcept;
  void merge(const StatTotals& other) noexcept;
};

// The totals of one stat on one thread. Written by that thread alone, without a lock; read by any.
class StatCell {
 public:
  // Adds a time, and forgets those that were added under another generation.
  void add(std::uint64_t ns, std::uint32_t generation) noexcept;
  [[nodiscard]] StatTotals read(std::uint32_t generation) const noexcept;

 private:
  [[nodiscard]] StatTotals load() const noexcept;

  std::atomic<std::uint32_t> version_{0};  // odd while the rest changes
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<std::uint64_t> total_ns_{0};
  std::atomic<std::uint64_t> max_ns_{0};
  std::atomic<std::uint64_t> min_ns_{UINT64_MAX};
  std::atomic<std::uint64_t> count_{0};
};

// Thread-safe.
class StatSet {
 public:
  // That of the current context; threads keep cells for such ones alone.
  static constexpr auto kContextSlot = core::ContextSlot::kStats;
  static StatSet& instance() { return core::in_context<StatSet>(); }

  // The cell of the calling thread, until that ends.
  StatCell& cell(StatId id);
  void add(StatId id, std::uint64_t ns) {
    cell(id).add(ns, generation_.load(std::memory_order_relaxed));
  }
  // Totals over all threads, ended ones too, for stats that have been added to since reset().
  [[nodiscard]] std::map<std::string, StatTotals> totals() const;
  void reset();

 private:
  struct OfThread {
    std::vector<std::unique_ptr<StatCell>> cells;  // by StatId
  };
  struct Owner;

  OfThread& of_this_thread();
  StatCell& grow(OfThread& thread, StatId id);
  void end(OfThread* thread);

  std::atomic<std::uint32_t> generation_{0};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<OfThread>> threads_;
  std::vector<StatTotals> ended_;  // of threads that are gone, by StatId
};

}  // namespace loci::profiler
