// The recording of a stream: the driver's graph, and which op each of its nodes is of.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "driver.h"

namespace loci::cuda_graph {

// Work that was announced, and what became of it: nodes [first, last).
struct Op {
  std::string name;  // "relu"
  std::uint64_t item = 0;
  std::size_t first = 0;
  std::size_t last = 0;
  cuda::RecordedLaunches launches = {};  // that it consists of; of a copy none
};

// A loop, or a branch or part of one.
struct ConditionalNode {
  CUgraphNode handle = nullptr;
  bool is_loop = false;
  std::vector<std::size_t> bodies;  // how many nodes each has
};

struct Node {
  CUgraphNode handle = nullptr;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  std::size_t op = 0;
  // The nodes that it waits for, all of lesser numbers, in the order of its edges.
  std::vector<std::size_t> before;
  const ConditionalNode* conditional = nullptr;  // of another kind: null
};

// "relu, item 3"
[[nodiscard]] std::string text_of(const Op& op);
// "kernel"
[[nodiscard]] std::string kind_of(const Node& node);
// Returns true if the device computes or moves something.
[[nodiscard]] bool is_work(CUgraphNodeType type);

// Immutable. Owns the driver's graph.
class Captured {
 public:
  Captured(std::shared_ptr<const Driver> driver, CUgraph graph)
      : driver_(std::move(driver)), graph_(graph) {}
  ~Captured() { (*driver_)->cuGraphDestroy(graph_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  // Called before its op is added.
  void add_conditional(const ConditionalNode& node) { conditionals_[node.handle] = node; }
  // Adds what has been announced before `tips`, which the work behind them waits for. Called with
  // the ops in their order. Throws Error where a node is of a kind that no graph of Loci has.
  void add(Op op, const std::vector<CUgraphNode>& tips);

  [[nodiscard]] CUgraph handle() const { return graph_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Op>& ops() const { return ops_; }
  [[nodiscard]] bool has_conditionals() const { return !conditionals_.empty(); }
  // "3 (relu, item 2)"
  [[nodiscard]] std::string name_of(std::size_t node) const;
  // The number of a node of the driver's; nodes().size() if there is none.
  [[nodiscard]] std::size_t find(CUgraphNode node) const;
  // Returns the bytes of host memory that it takes, about.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  void add_node(CUgraphNode node, const std::vector<CUgraphNode>& before);

  std::shared_ptr<const Driver> driver_;
  CUgraph graph_;
  std::vector<Node> nodes_;
  std::vector<Op> ops_;
  std::unordered_map<CUgraphNode, std::size_t> numbers_;
  std::unordered_map<CUgraphNode, ConditionalNode> conditionals_;
};

}  // namespace loci::cuda_graph
