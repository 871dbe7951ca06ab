// Replays of a graph on the CPU whose launches threads share, once these have been timed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/capture/graph_memory.h"
#include "framework/capture/graph_temporaries.h"
#include "framework/capture/launch_list.h"
#include "framework/capture/list_runs.h"
#include "framework/execution/core_counts.h"
#include "framework/execution/launch_times.h"
#include "framework/memory/allocator.h"
#include "framework/planning/core_planner.h"

namespace loci::capture {

// The memory that launches use tells which ones may run beside each other. Temporaries of the
// graph, whose memory follows each other's as the capture went, get memory anew for that. Used by
// one replay at a time, but for told().
class GraphCores {
 public:
  // Returns true if replays of graphs of the device may come to that.
  [[nodiscard]] static bool may_share(const device::Device& device);

  // Shares a list that is complete, which outlives it, as the memory does. At most so many bytes
  // are taken beside that.
  GraphCores(LaunchList& list, std::vector<GraphTemporary> temporaries, GraphMemory& memory,
             std::uint64_t most_bytes);
  ~GraphCores();
  GraphCores(const GraphCores&) = delete;
  GraphCores& operator=(const GraphCores&) = delete;

  // A replay of the whole list. Throws Error with the item.
  void run(const LaunchList::Target& target, std::uint64_t correlation);
  // The text that cores_text() gives; empty while nothing is shared. Thread-safe.
  [[nodiscard]] std::string told() const;

 private:
  void consider();
  [[nodiscard]] planning::CoreLaunches find_launches() const;
  bool move_temporaries(const planning::Timeline& timeline);

  LaunchList& list_;
  std::vector<GraphTemporary> temporaries_;  // until the list is shared, or will not be
  GraphMemory& graph_memory_;
  const std::uint64_t most_bytes_;
  execution::LaunchTimes times_;
  execution::CoreForks forks_;
  memory::Buffer memory_;  // of temporaries
  std::uint64_t memory_bytes_ = 0;
  std::unique_ptr<ListRuns> runs_;  // null: one after the other
  execution::CoreCounts counts_;
  std::atomic<bool> is_shared_{false};
};

}  // namespace loci::capture
