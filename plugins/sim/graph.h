// The graph that a stream has recorded, and the work that a launch of it enqueues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/plugin/error.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/sim/graph_driver.h"
#include "plugins/sim/graph_order.h"
#include "plugins/sim/mark.h"
#include "plugins/sim/race_checker.h"
#include "plugins/sim/work.h"

namespace loci::sim {

struct GraphNode {
  std::shared_ptr<Work> work;
  std::vector<Access> accesses;
  std::string name;
  std::uint64_t item = 0;
  GraphPlace place = {};
};

// Tasks in order, which is one that those allow that each waits for. Immutable once an executable
// has it.
using GraphNodes = std::vector<std::shared_ptr<const GraphNode>>;

// Not thread-safe.
class DriverGraph {
 public:
  explicit DriverGraph(GraphNodes nodes)
      : nodes_(std::make_shared<const GraphNodes>(std::move(nodes))) {}
  [[nodiscard]] const std::shared_ptr<const GraphNodes>& nodes() const { return nodes_; }
  [[nodiscard]] DriverNode node(std::size_t index) const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  std::shared_ptr<const GraphNodes> nodes_;
};

// Any thread may call. Launches hold what they enqueue, so it may be changed or go while they are
// under way.
class DriverExec {
 public:
  explicit DriverExec(const DriverGraph& graph) : nodes_(graph.nodes()) {}

  // Two launches run one after the other, in whichever streams.
  void launch(Stream& stream, const DriverLaunch& launch);
  // Throws Error(LOCI_CODE_INVALID_ARGUMENT) for an item or argument that is not there, and
  // UNSUPPORTED for a task that is no kernel.
  void patch(std::uint64_t item, std::uint32_t argument, void* address);
  // Throws Error(LOCI_CODE_UNSUPPORTED) with the first task that differs by more than addresses.
  void update(const DriverGraph& graph);

 private:
  std::mutex mutex_;
  std::shared_ptr<const GraphNodes> nodes_;
  std::shared_ptr<Mark> latest_;           // the end of the latest launch
  const Stream* latest_stream_ = nullptr;  // where that was; never followed
};

// A launch, as work of a stream: the worker runs its tasks, each of which may fail by itself.
class GraphWork final : public Work {
 public:
  GraphWork(std::shared_ptr<const GraphNodes> nodes, const DriverLaunch& launch,
            std::shared_ptr<Mark> end, std::chrono::nanoseconds latency)
      : nodes_(std::move(nodes)), launch_(launch), end_(std::move(end)), latency_(latency) {}

  void run() override {}
  [[nodiscard]] std::string name() const override { return "graph"; }
  [[nodiscard]] const GraphWork* as_graph() const override { return this; }

  [[nodiscard]] const GraphNodes& nodes() const { return *nodes_; }
  // Returns the facts of a node of it, in this launch.
  [[nodiscard]] WorkFacts facts_of(const GraphNode& node) const;
  // The time before the launch's first task begins; its kernels take no such time of their own.
  [[nodiscard]] std::chrono::nanoseconds latency() const { return latency_; }
  void reach_end() const { end_->reach(); }

 private:
  const std::shared_ptr<const GraphNodes> nodes_;
  const DriverLaunch launch_;
  const std::shared_ptr<Mark> end_;
  const std::chrono::nanoseconds latency_;
};

}  // namespace loci::sim
