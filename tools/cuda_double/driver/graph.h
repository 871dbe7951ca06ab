// Graphs, their nodes, and what is captured.
#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/cuda_double/driver/object.h"
#include "tools/cuda_double/driver/operation.h"
#include "tools/cuda_double/driver/thread_state.h"
#include "tools/cuda_double/memory/allocation.h"

namespace loci::cuda_double {

class Context;
class Device;
class Graph;

struct Node : public Object {
  static constexpr const char* kKind = "graph node";
  [[nodiscard]] const char* kind() const override { return kKind; }
  [[nodiscard]] CUgraphNodeType type() const;

  Graph* graph = nullptr;
  std::uint64_t id = 0;      // its own, of all nodes
  std::uint64_t origin = 0;  // of the node that this is a clone of; 0: none
  Operation operation;
  Context* context = nullptr;
  std::string what;  // for messages
  std::vector<Node*> dependencies;
  std::vector<Node*> dependents;
  // The parameters of a kernel, as cuGraphKernelNodeGetParams() hands them out.
  std::vector<void*> parameter_pointers;
};

// Memory of an allocation node, for as long as a graph has the node or the memory is in use.
struct GraphMemory : std::enable_shared_from_this<GraphMemory> {
  GraphMemory(Device& owner, std::uint64_t size, const PoolAccess& access, std::string made_by);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  Device& device;
  const std::uint64_t bytes;
  std::uint64_t address = 0;
  [[nodiscard]] bool is_live() const { return self != nullptr; }
  // Allocated by a launch, and not freed since: it outlives its graph then.
  void set_live(bool live) {
    const auto kept = shared_from_this();
    self = live ? kept : nullptr;
  }
  std::shared_ptr<GraphMemory> self;
  bool freed_by_graph = false;  // the graph has a node that frees it
};

class UserObject : public Object {
 public:
  static constexpr const char* kKind = "user object";
  [[nodiscard]] const char* kind() const override { return kKind; }

  ~UserObject() override {
    const HostFunctionScope forbids_calls;
    if (destroy != nullptr) destroy(data);
  }
  void* data = nullptr;
  CUhostFn destroy = nullptr;
  unsigned references = 0;
};

class Graph : public Object {
 public:
  static constexpr const char* kKind = "graph";
  [[nodiscard]] const char* kind() const override { return kKind; }

  Graph();
  ~Graph() override;

  // Throws DriverError where a dependency is of another graph or comes twice.
  Node& add(Operation operation, Context* context, std::string what,
            const std::vector<Node*>& dependencies);
  void add_edge(Node& from, Node& to);
  void remove_edge(Node& from, Node& to);
  void remove(Node& node);
  // A deep copy, of children and bodies too.
  [[nodiscard]] std::shared_ptr<Graph> clone() const;
  // Every node after what it depends on. Throws DriverError for a cycle.
  [[nodiscard]] std::vector<Node*> in_order() const;
  // Searches this graph, its children and bodies.
  [[nodiscard]] bool has(CUgraphNodeType type) const;

  const std::uint64_t id;
  std::vector<std::shared_ptr<Node>> nodes;
  bool owned = false;  // a child or a body: not for cuGraphDestroy()
  std::vector<std::shared_ptr<Condition>> conditions;  // created for it
  std::map<std::shared_ptr<UserObject>, unsigned> user_objects;
  unsigned instances = 0;  // executable graphs that exist of it
  bool being_captured = false;
};

}  // namespace loci::cuda_double
