#include "captured.h"

namespace loci::cuda_graph {
namespace {

std::vector<CUgraphNode> dependencies_of(const Driver& driver, CUgraphNode node) {
  std::vector<CUgraphNode> before(4);
  for (;;) {
    std::vector<CUgraphEdgeData> edges(before.size());
    std::size_t count = before.size();
    driver.check(driver->node_dependencies(node, before.data(), edges.data(), &count),
                 "reading the edges of a graph");
    // It says how many it gave, and cannot say that there are more.
    if (count < before.size()) {
      before.resize(count);
      return before;
    }
    before.resize(2 * before.size());
  }
}

bool allocates(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

// A node, and what has to be numbered before it.
struct Visit {
  CUgraphNode node;
  std::vector<CUgraphNode> before;
  std::size_t next = 0;
};

}  // namespace

std::string text_of(const Op& op) { return op.name + ", item " + std::to_string(op.item); }

std::string kind_of(const Node& node) {
  switch (node.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return "kernel";
    case CU_GRAPH_NODE_TYPE_MEMCPY: return "copy";
    case CU_GRAPH_NODE_TYPE_MEMSET: return "fill";
    case CU_GRAPH_NODE_TYPE_HOST: return "function of the host";
    case CU_GRAPH_NODE_TYPE_GRAPH: return "graph";
    case CU_GRAPH_NODE_TYPE_EMPTY: return "empty node";
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return "wait for an event";
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return "record of an event";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return "allocation";
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return "free";
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return node.conditional != nullptr && node.conditional->is_loop ? "loop" : "branch";
    default: return "node of type " + std::to_string(static_cast<int>(node.type));
  }
}

bool is_work(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
         type == CU_GRAPH_NODE_TYPE_MEMSET;
}

// Nodes behind each other as deep as the graph is long, so that it walks with a stack of its own.
void Captured::add(Op op, const std::vector<CUgraphNode>& tips) {
  op.first = nodes_.size();
  ops_.push_back(std::move(op));
  std::vector<Visit> stack;
  const auto enter = [&](CUgraphNode node) {
    if (numbers_.count(node) == 0) stack.push_back({node, dependencies_of(*driver_, node)});
  };
  for (CUgraphNode tip : tips) {
    enter(tip);
    while (!stack.empty()) {
      Visit& visit = stack.back();
      if (visit.next < visit.before.size()) {
        enter(visit.before[visit.next++]);
        continue;
      }
      add_node(visit.node, visit.before);
      stack.pop_back();
    }
  }
  ops_.back().last = nodes_.size();
}

void Captured::add_node(CUgraphNode node, const std::vector<CUgraphNode>& before) {
  if (!numbers_.emplace(node, nodes_.size()).second) return;
  Node added{node, CU_GRAPH_NODE_TYPE_EMPTY, ops_.size() - 1, {}};
  const auto conditional = conditionals_.find(node);
  if (conditional != conditionals_.end()) added.conditional = &conditional->second;
  driver_->check((*driver_)->cuGraphNodeGetType(node, &added.type), "reading a graph");
  if (allocates(added.type)) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED,
                     "[cuda_graph] " + driver_->place() + ": the work of " + text_of(ops_.back()) +
                         " has memory in the order of the stream (" + kind_of(added) +
                         "), which a graph would own; take it before the capture");
  }
  for (CUgraphNode each : before) added.before.push_back(numbers_.at(each));
  nodes_.push_back(std::move(added));
}

std::string Captured::name_of(std::size_t node) const {
  return std::to_string(node) + " (" + text_of(ops_[nodes_[node].op]) + ")";
}

std::size_t Captured::find(CUgraphNode node) const {
  const auto found = numbers_.find(node);
  return found == numbers_.end() ? nodes_.size() : found->second;
}

std::uint64_t Captured::bytes() const {
  // The driver's own, of which it does not tell.
  constexpr std::uint64_t kDriverNode = 512;
  std::uint64_t total = sizeof *this;
  for (const Op& op : ops_) {
    total +=
        sizeof op + op.name.size() + op.launches.arguments.size() * sizeof(cuda::RecordedArgument);
  }
  for (const Node& node : nodes_) {
    total += sizeof node + node.before.size() * sizeof(std::size_t) + kDriverNode;
    if (node.conditional == nullptr) continue;
    for (const std::size_t body : node.conditional->bodies) total += body * kDriverNode;
  }
  return total;
}

}  // namespace loci::cuda_graph
