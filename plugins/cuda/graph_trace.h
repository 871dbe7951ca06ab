// How a capturer says whose the work of a graph is, for profiles. Behind the native handle
// "cuda.graph.trace" of the device.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace loci::cuda {

// A launch as loci_graph_launch has it, and the host's item for each node that is work of the
// device, in the order in which the nodes were made.
struct TracedLaunch {
  std::uint32_t graph;
  std::uint64_t replay;
  std::uint64_t correlation;
  std::shared_ptr<const std::vector<std::uint64_t>> items;
  void* stream;  // a CUstream
  // True if it has loops or branches, of whose nodes there are no items.
  bool has_bodies;
};

// While it lives, what its thread launches is that launch.
class TracedSpan {
 public:
  TracedSpan() = default;
  virtual ~TracedSpan() = default;
  TracedSpan(const TracedSpan&) = delete;
  TracedSpan& operator=(const TracedSpan&) = delete;
};

// Any thread may call.
class GraphTrace {
 public:
  GraphTrace() = default;
  virtual ~GraphTrace() = default;
  GraphTrace(const GraphTrace&) = delete;
  GraphTrace& operator=(const GraphTrace&) = delete;

  // NULL where no profile is recorded.
  [[nodiscard]] virtual std::unique_ptr<TracedSpan> begin(const TracedLaunch& launch) = 0;
};

}  // namespace loci::cuda
