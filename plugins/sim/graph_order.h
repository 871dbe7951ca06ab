// The order of a recorded graph: which tasks wait for which.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace loci::sim {

// Where a task stands in its graph.
struct GraphPlace {
  std::vector<std::uint32_t> before;  // the tasks that it waits for, by their numbers
  std::uint32_t lane = 0;             // tasks of one come one after the other
};

// The order of a recording. Tasks are numbered in the order in which they are added.
class GraphOrder {
 public:
  // The tasks that are added next belong to that item, and wait for what was added last.
  void begin(std::uint64_t item);
  // It waits for those items instead. Throws Error(LOCI_CODE_INVALID_ARGUMENT), with nothing
  // changed, for one that did not begin before it.
  void depend(const std::uint64_t* items, std::uint64_t count);
  [[nodiscard]] GraphPlace add();

 private:
  using Clock = std::vector<std::uint32_t>;  // by lane: how many of its tasks have ended

  [[nodiscard]] const std::vector<std::uint32_t>& end_of(std::uint64_t item) const;
  std::uint32_t choose_lane(const Clock& known);

  bool has_begun_ = false;
  std::uint64_t item_ = 0;
  std::vector<std::uint32_t> tips_;                            // that the next task waits for
  std::map<std::uint64_t, std::vector<std::uint32_t>> ended_;  // by item: what is behind it
  std::vector<Clock> clocks_;                                  // by task: when it has ended
  Clock lengths_;
};

}  // namespace loci::sim
