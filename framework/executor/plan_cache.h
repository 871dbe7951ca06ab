// The plans that an executor keeps.
#pragma once

#include <cstdint>
#include <loci/executor.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "framework/core/recent_map.h"
#include "framework/execution/plan.h"
#include "framework/memory/spin_lock.h"

namespace loci::executor {

// Returns how much the plans of an executor and their frames may take: LOCI_PLAN_CACHE. Without it,
// 32 MiB or as much as four plans of the latest one's size, whichever is more.
std::optional<std::uint64_t> most_plan_bytes();

// A cache by program, feeds and fetches. Where they take more than they may, the idle frames of all
// plans but the latest used one are freed, from the longest unused on, and then, in that order,
// plans are dropped; one that runs lives on until it has. Arenas that the latest plan has no use
// for go where they alone take more. Thread-safe.
class PlanCache {
 public:
  explicit PlanCache(std::optional<std::uint64_t> most_bytes = most_plan_bytes());

  // In which plans to be kept here count.
  [[nodiscard]] const std::shared_ptr<execution::PlanMemory>& memory() const { return memory_; }

  // Null if there is none for the program as it is now.
  std::shared_ptr<const execution::Plan> find(const Program& program, const Feed& feed,
                                              const std::vector<Fetch>& fetch);
  // `version` is that of the program when it was compiled; plans of others are dropped.
  void insert(const Program& program, std::uint64_t version, const Feed& feed,
              const std::vector<Fetch>& fetch, const std::shared_ptr<const execution::Plan>& plan);
  void erase(const std::shared_ptr<const execution::Plan>& plan);
  // For more room elsewhere: keeps the later used half, the latest one in any case.
  void drop_older_half();
  // If frames were made since it was last called: keeps to the limit.
  void trim();

  [[nodiscard]] std::size_t size() const;

 private:
  struct Kept {
    std::uint64_t program = 0;  // its uid
    std::uint64_t version = 0;
    std::uint32_t width = 0;  // of the process: its kernels are prepared for that
    std::shared_ptr<const execution::Plan> plan;
  };
  using Plans = core::RecentMap<Kept>;

  void put(std::string key, Kept kept);
  void shrink();
  void shrink_arenas();
  // But for the latest used one; the longest unused first.
  std::vector<std::shared_ptr<const execution::Plan>> older_plans();
  void drop_oldest(std::uint64_t most_bytes);
  template <class Is>
  void remove_if(const Is& is, Plans::Entries* dropped);

  std::shared_ptr<execution::PlanMemory> memory_;
  bool is_fixed_;  // the limit, whatever the plans take
  mutable memory::SpinLock mutex_;
  Plans plans_;
};

}  // namespace loci::executor
