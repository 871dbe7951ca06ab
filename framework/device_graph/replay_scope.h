// A replay of a graph in a profile.
#pragma once

#include <cstdint>

#include "framework/profiler/scope.h"

namespace loci::device_graph {

// Its row, "replay_graph", while it lives: of a graph of the device's as of launches that the host
// does one by one, which lie within it. The detail says which: "graph 3, replay 17", the numbers
// that the device's own work has, too (loci_profile_device_span).
class ReplayScope {
 public:
  // Labels stay as long as the process, half a KiB each, so that later replays are told without
  // their number, and those after them without their graph's.
  static constexpr std::uint64_t kMostNumbered = 10'000;
  static constexpr std::uint64_t kMostNamed = 10'000;

  ReplayScope(std::uint64_t graph, std::uint64_t replay) : scope_(label_of(graph, replay)) {}

 private:
  static profiler::LabelId label_of(std::uint64_t graph, std::uint64_t replay);

  const profiler::Scope scope_;
};

}  // namespace loci::device_graph
