// Decides what may change in an executable graph, and what may not.
#include "tools/cuda_double/driver/enqueue.h"
#include "tools/cuda_double/driver/graph_exec.h"
#include "tools/cuda_double/driver/loaded_module.h"

namespace loci::cuda_double {
namespace {

using Positions = std::map<const Node*, std::size_t>;

Positions positions_of(const std::vector<Node*>& order) {
  Positions positions;
  for (std::size_t i = 0; i < order.size(); ++i) positions[order[i]] = i;
  return positions;
}

std::set<std::size_t> before(const Node& node, const Positions& positions) {
  std::set<std::size_t> found;
  for (const Node* dependency : node.dependencies) found.insert(positions.at(dependency));
  return found;
}

class Comparison {
 public:
  Comparison(Driver& driver, CUgraphExecUpdateResultInfo& result)
      : driver_(driver), result_(result) {}

  // Throws DriverError where they differ too much.
  void compare(const Graph& old, const Graph& next) {
    const auto old_order = old.in_order();
    const auto next_order = next.in_order();
    if (old_order.size() != next_order.size()) {
      refuse(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr);
    }
    const auto old_positions = positions_of(old_order);
    const auto next_positions = positions_of(next_order);
    for (std::size_t i = 0; i < old_order.size(); ++i) {
      const Node& one = *old_order[i];
      const Node& other = *next_order[i];
      if (one.type() != other.type()) {
        refuse(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, &other);
      }
      if (before(one, old_positions) != before(other, next_positions)) {
        refuse(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, &other);
      }
      compare_operations(one, other);
    }
  }

 private:
  void compare_operations(const Node& one, const Node& other) {
    if (one.context != other.context || !may_replace(driver_, one.operation, other.operation)) {
      refuse(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, &other);
    }
    if (const auto* child = std::get_if<ChildOperation>(&one.operation)) {
      compare(*child->graph, *std::get<ChildOperation>(other.operation).graph);
    }
    const auto* conditional = std::get_if<ConditionalOperation>(&one.operation);
    if (conditional == nullptr) return;
    const auto& bodies = std::get<ConditionalOperation>(other.operation).bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) compare(*conditional->bodies[i], *bodies[i]);
  }

  [[noreturn]] void refuse(CUgraphExecUpdateResult why, const Node* node) {
    result_.result = why;
    result_.errorNode = reinterpret_cast<CUgraphNode>(const_cast<Node*>(node));
    throw DriverError(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the graphs differ too much");
  }

  Driver& driver_;
  CUgraphExecUpdateResultInfo& result_;
};

}  // namespace

bool may_replace(Driver& driver, const Operation& old, const Operation& next) {
  if (old.index() != next.index()) return false;
  if (const auto* kernel = std::get_if<KernelOperation>(&old)) {
    const auto& other = std::get<KernelOperation>(next);
    return &kernel->function->module->context == &other.function->module->context;
  }
  if (const auto* copy = std::get_if<CopyOperation>(&old)) {
    return have_same_places(driver, *copy, std::get<CopyOperation>(next));
  }
  if (const auto* fill = std::get_if<FillOperation>(&old)) {
    return fill->height == 1 && std::get<FillOperation>(next).height == 1;
  }
  if (const auto* conditional = std::get_if<ConditionalOperation>(&old)) {
    const auto& other = std::get<ConditionalOperation>(next);
    return conditional->type == other.type && conditional->bodies.size() == other.bodies.size();
  }
  return !std::holds_alternative<AllocationOperation>(old) &&
         !std::holds_alternative<ReleaseOperation>(old);
}

void update_exec(Call& call, GraphExec& exec, const Graph& graph,
                 CUgraphExecUpdateResultInfo& result) {
  result = {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
  Comparison(call.driver, result).compare(*exec.graph, graph);
  const auto copy = graph.clone();
  call.driver.registry.remove(copy.get());
  const auto old_order = exec.graph->in_order();
  const auto next_order = copy->in_order();
  for (std::size_t i = 0; i < old_order.size(); ++i) {
    old_order[i]->operation = next_order[i]->operation;
    old_order[i]->what = next_order[i]->what;
    old_order[i]->parameter_pointers.clear();
  }
  exec.graph->conditions = copy->conditions;
  exec.graph->user_objects = copy->user_objects;
}

}  // namespace loci::cuda_double
