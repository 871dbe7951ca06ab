#include "tools/cuda_double/driver/graph.h"

#include <algorithm>
#include <set>

#include "tools/cuda_double/driver/driver.h"

namespace loci::cuda_double {
namespace {

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

bool contains(const std::vector<Node*>& nodes, const Node* node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

std::shared_ptr<Graph> clone_owned(const Graph& graph) {
  auto copy = graph.clone();
  copy->owned = true;
  return copy;
}

// Graphs inside the operation are copied, so that a change of one does not reach the other.
Operation clone_operation(const Operation& operation) {
  Operation copy = operation;
  if (auto* child = std::get_if<ChildOperation>(&copy)) child->graph = clone_owned(*child->graph);
  if (auto* conditional = std::get_if<ConditionalOperation>(&copy)) {
    conditional->handles.clear();
    for (auto& body : conditional->bodies) {
      body = clone_owned(*body);
      conditional->handles.push_back(reinterpret_cast<CUgraph>(body.get()));
    }
  }
  return copy;
}

}  // namespace

CUgraphNodeType Node::type() const {
  return std::visit(
      Overloaded{[](const EmptyOperation&) { return CU_GRAPH_NODE_TYPE_EMPTY; },
                 [](const KernelOperation&) { return CU_GRAPH_NODE_TYPE_KERNEL; },
                 [](const CopyOperation&) { return CU_GRAPH_NODE_TYPE_MEMCPY; },
                 [](const FillOperation&) { return CU_GRAPH_NODE_TYPE_MEMSET; },
                 [](const HostOperation&) { return CU_GRAPH_NODE_TYPE_HOST; },
                 [](const RecordOperation&) { return CU_GRAPH_NODE_TYPE_EVENT_RECORD; },
                 [](const WaitOperation&) { return CU_GRAPH_NODE_TYPE_WAIT_EVENT; },
                 [](const ChildOperation&) { return CU_GRAPH_NODE_TYPE_GRAPH; },
                 [](const ConditionalOperation&) { return CU_GRAPH_NODE_TYPE_CONDITIONAL; },
                 [](const AllocationOperation&) { return CU_GRAPH_NODE_TYPE_MEM_ALLOC; },
                 [](const ReleaseOperation&) { return CU_GRAPH_NODE_TYPE_MEM_FREE; }},
      operation);
}

GraphMemory::GraphMemory(Device& owner, std::uint64_t size, const PoolAccess& access,
                         std::string made_by)
    : device(owner), bytes(size) {
  device.take(bytes);
  DeviceMemory& memory = Driver::get().memory;
  try {
    address = memory.allocate(bytes, MemoryKind::kPooled, device.ordinal(), std::move(made_by));
    memory.set_access(address, access);
  } catch (...) {
    device.give_back(bytes);
    throw;
  }
}

GraphMemory::~GraphMemory() {
  Driver& driver = Driver::get();
  driver.blocks.remove(address);
  driver.races.forget(address, bytes);
  driver.memory.free(address, "the graph's end");
  device.give_back(bytes);
}

Graph::Graph() : id(Driver::get().next_id()) {}

Graph::~Graph() {
  auto& registry = Driver::get().registry;
  for (const auto& node : nodes) {
    if (const auto* child = std::get_if<ChildOperation>(&node->operation)) {
      registry.remove(child->graph.get());
    }
    if (const auto* conditional = std::get_if<ConditionalOperation>(&node->operation)) {
      for (const auto& body : conditional->bodies) registry.remove(body.get());
    }
    registry.remove(node.get());
  }
}

Node& Graph::add(Operation operation, Context* context, std::string what,
                 const std::vector<Node*>& dependencies) {
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    require(dependencies[i]->graph == this, "a dependency is a node of another graph");
    require(std::find(dependencies.begin(), dependencies.begin() + static_cast<std::ptrdiff_t>(i),
                      dependencies[i]) == dependencies.begin() + static_cast<std::ptrdiff_t>(i),
            "a dependency comes twice");
  }
  Driver& driver = Driver::get();
  auto node = std::make_shared<Node>();
  node->graph = this;
  node->id = driver.next_id();
  node->operation = std::move(operation);
  node->context = context;
  node->what = std::move(what);
  node->dependencies = dependencies;
  for (Node* dependency : dependencies) dependency->dependents.push_back(node.get());
  driver.registry.add(node);
  nodes.push_back(node);
  return *node;
}

void Graph::add_edge(Node& from, Node& to) {
  require(from.graph == this && to.graph == this, "an edge has a node of another graph");
  require(&from != &to, "an edge leads from a node to itself");
  require(!contains(to.dependencies, &from), "there is that edge already");
  to.dependencies.push_back(&from);
  from.dependents.push_back(&to);
}

void Graph::remove_edge(Node& from, Node& to) {
  require(contains(to.dependencies, &from), "there is no such edge");
  std::erase(to.dependencies, &from);
  std::erase(from.dependents, &to);
}

void Graph::remove(Node& node) {
  for (Node* dependency : std::vector<Node*>(node.dependencies)) remove_edge(*dependency, node);
  for (Node* dependent : std::vector<Node*>(node.dependents)) remove_edge(node, *dependent);
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const auto& each) { return each.get() == &node; });
  Driver::get().registry.remove(&node);
  nodes.erase(found);
}

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>();
  Driver::get().registry.add(copy);
  std::map<const Node*, Node*> copies;
  for (const auto& node : nodes) {
    Node& made = copy->add(clone_operation(node->operation), node->context, node->what, {});
    made.origin = node->id;
    copies[node.get()] = &made;
  }
  for (const auto& node : nodes) {
    for (const Node* dependency : node->dependencies) {
      copy->add_edge(*copies[dependency], *copies[node.get()]);
    }
  }
  copy->conditions = conditions;
  copy->user_objects = user_objects;
  return copy;
}

std::vector<Node*> Graph::in_order() const {
  std::map<const Node*, std::size_t> unmet;
  std::vector<Node*> order;
  std::vector<Node*> waiting;
  for (const auto& node : nodes) {
    unmet[node.get()] = node->dependencies.size();
    if (node->dependencies.empty()) order.push_back(node.get());
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (Node* dependent : order[i]->dependents) {
      if (--unmet[dependent] == 0) order.push_back(dependent);
    }
  }
  require(order.size() == nodes.size(), "the graph has a cycle");
  return order;
}

bool Graph::has(CUgraphNodeType type) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) {
    if (node->type() == type) return true;
    if (const auto* child = std::get_if<ChildOperation>(&node->operation)) {
      return child->graph->has(type);
    }
    const auto* conditional = std::get_if<ConditionalOperation>(&node->operation);
    return conditional != nullptr &&
           std::any_of(conditional->bodies.begin(), conditional->bodies.end(),
                       [&](const auto& body) { return body->has(type); });
  });
}

}  // namespace loci::cuda_double
