// Executable graphs: a copy of a graph that can be launched and changed in some ways.
#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "tools/cuda_double/driver/call.h"
#include "tools/cuda_double/driver/graph.h"

namespace loci::cuda_double {

class GraphExec : public Object {
 public:
  static constexpr const char* kKind = "executable graph";
  // Throws DriverError where the graph can not be launched.
  GraphExec(std::shared_ptr<Graph> source, unsigned long long instantiate_flags);
  ~GraphExec() override;
  [[nodiscard]] const char* kind() const override { return kKind; }

  // The node that stands for one of the graph that this was made of. Throws DriverError.
  [[nodiscard]] Node& node_for(const Node& of_source) const;
  [[nodiscard]] bool is_enabled(const Node& node) const { return !disabled_.contains(&node); }
  void enable(const Node& node, bool enabled);

  const unsigned long long flags;
  std::shared_ptr<Graph> graph;
  TaskPtr last_launch;
  std::vector<Actor> actors;  // of chains of its nodes, given back with it

 private:
  std::weak_ptr<Graph> source_;
  std::map<std::uint64_t, Node*> by_origin_;
  std::set<const Node*> disabled_;
};

// Enqueues all of the graph behind what is on the stream and behind the graph's launch before.
void launch_graph(Call& call, const std::shared_ptr<GraphExec>& exec, CUstream stream);

// Gives the exec the parameters of the graph. Throws DriverError where they differ in more than
// that, and says in `result` in what.
void update_exec(Call& call, GraphExec& exec, const Graph& graph,
                 CUgraphExecUpdateResultInfo& result);
// Returns true if a node may get the operation, by the rules of cuGraphExec...SetParams().
[[nodiscard]] bool may_replace(Driver& driver, const Operation& old, const Operation& next);

// The graph as text of the language dot.
[[nodiscard]] std::string dot_text(const Graph& graph, unsigned flags);

}  // namespace loci::cuda_double
