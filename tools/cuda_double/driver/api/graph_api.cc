// Graphs and their edges.
#include "tools/cuda_double/driver/graph.h"

#include <cstdio>
#include <fstream>

#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/edge_data.h"
#include "tools/cuda_double/driver/handles.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

namespace {

// Fills at most *count places, or says how many there are if there is no array.
template <typename Handle>
void list(const std::vector<Node*>& nodes, Handle* places, std::size_t* count) {
  auto& room = result(count);
  if (places == nullptr) {
    room = nodes.size();
    return;
  }
  for (std::size_t i = 0; i < room; ++i) {
    places[i] = i < nodes.size() ? handle_of<Handle>(nodes[i]) : nullptr;
  }
  room = std::min(room, nodes.size());
}

std::vector<Node*> all_nodes(const Graph& graph, bool roots_only) {
  std::vector<Node*> nodes;
  for (const auto& node : graph.nodes) {
    if (!roots_only || node->dependencies.empty()) nodes.push_back(node.get());
  }
  return nodes;
}

// Nodes at the other ends of a node's edges, and the data of these.
template <typename Nodes>
CUresult list_edges(const char* name, CUgraphNode node, Nodes Node::*ends, CUgraphNode* places,
                    CUgraphEdgeData* data, std::size_t* count) {
  return enter(name, kPlain, [&](Call& call) {
    const auto& nodes = node_of(call, node).get()->*ends;
    list(nodes, places, count);
    if (places != nullptr) put_plain_edges(data, *count);
  });
}

struct Edges {
  const CUgraphNode* from;
  const CUgraphNode* to;
  const CUgraphEdgeData* data;
  std::size_t count;
};

CUresult change_edges(const char* name, CUgraph graph, const Edges& edges,
                      void (*check)(const CUgraphEdgeData*, std::size_t),
                      void (Graph::*change)(Node&, Node&)) {
  return enter(name, kPlain, [&](Call& call) {
    const auto [from, to, data, count] = edges;
    const auto changed = graph_of(call, graph);
    const auto sources = nodes_of(call, from, count);
    const auto targets = nodes_of(call, to, count);
    check(data, count);
    for (std::size_t i = 0; i < count; ++i) (changed.get()->*change)(*sources[i], *targets[i]);
  });
}

}  // namespace

CUresult CUDAAPI cuGraphCreate(CUgraph* graph, unsigned flags) {
  return enter("cuGraphCreate", kPlain, [&](Call& call) {
    auto& place = result(graph);
    require(flags == 0, "flags have to be 0");
    auto made = std::make_shared<Graph>();
    call.driver.registry.add(made);
    place = handle_of<CUgraph>(made.get());
  });
}

CUresult CUDAAPI cuGraphDestroy(CUgraph graph) {
  return enter("cuGraphDestroy", kPlain, [&](Call& call) {
    const auto destroyed = graph_of(call, graph);
    require(!destroyed->owned, "the graph is a node's");
    call.driver.registry.remove(destroyed.get());
  });
}

CUresult CUDAAPI cuGraphClone(CUgraph* clone, CUgraph graph) {
  return enter("cuGraphClone", kPlain, [&](Call& call) {
    auto& place = result(clone);
    const auto original = graph_of(call, graph);
    require(!original->has(CU_GRAPH_NODE_TYPE_CONDITIONAL) &&
                !original->has(CU_GRAPH_NODE_TYPE_MEM_ALLOC) &&
                !original->has(CU_GRAPH_NODE_TYPE_MEM_FREE),
            CUDA_ERROR_NOT_SUPPORTED, "a graph with such nodes can not be cloned");
    place = handle_of<CUgraph>(original->clone().get());
  });
}

CUresult CUDAAPI cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode node, CUgraph clone) {
  return enter("cuGraphNodeFindInClone", kPlain, [&](Call& call) {
    auto& place = result(found);
    const auto original = node_of(call, node);
    for (const auto& each : graph_of(call, clone)->nodes) {
      if (each->origin != original->id) continue;
      place = handle_of<CUgraphNode>(each.get());
      return;
    }
    throw DriverError(CUDA_ERROR_INVALID_VALUE, "the clone has no such node");
  });
}

CUresult CUDAAPI cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  return enter("cuGraphGetNodes", kPlain,
               [&](Call& call) { list(all_nodes(*graph_of(call, graph), false), nodes, count); });
}

CUresult CUDAAPI cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  return enter("cuGraphGetRootNodes", kPlain,
               [&](Call& call) { list(all_nodes(*graph_of(call, graph), true), nodes, count); });
}

CUresult CUDAAPI cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                                 CUgraphEdgeData* data, std::size_t* count) {
  return enter("cuGraphGetEdges_v2", kPlain, [&](Call& call) {
    std::vector<Node*> sources;
    std::vector<Node*> targets;
    for (const auto& node : graph_of(call, graph)->nodes) {
      for (Node* dependency : node->dependencies) {
        sources.push_back(dependency);
        targets.push_back(node.get());
      }
    }
    std::size_t room = result(count);
    put_plain_edges(data, std::min(room, sources.size()));
    list(sources, from, &room);
    list(targets, to, count);
  });
}

CUresult CUDAAPI cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes,
                                            CUgraphEdgeData* data, std::size_t* count) {
  return list_edges("cuGraphNodeGetDependencies_v2", node, &Node::dependencies, nodes, data, count);
}

CUresult CUDAAPI cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes,
                                              CUgraphEdgeData* data, std::size_t* count) {
  return list_edges("cuGraphNodeGetDependentNodes_v2", node, &Node::dependents, nodes, data, count);
}

CUresult CUDAAPI cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from,
                                        const CUgraphNode* to, const CUgraphEdgeData* data,
                                        std::size_t count) {
  return change_edges("cuGraphAddDependencies_v2", graph, {from, to, data, count},
                      require_plain_edges, &Graph::add_edge);
}

CUresult CUDAAPI cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from,
                                           const CUgraphNode* to, const CUgraphEdgeData* data,
                                           std::size_t count) {
  return change_edges("cuGraphRemoveDependencies_v2", graph, {from, to, data, count},
                      require_existing_edges, &Graph::remove_edge);
}

CUresult CUDAAPI cuGraphDestroyNode(CUgraphNode node) {
  return enter("cuGraphDestroyNode", kPlain, [&](Call& call) {
    const auto destroyed = node_of(call, node);
    require(destroyed->type() != CU_GRAPH_NODE_TYPE_MEM_ALLOC &&
                destroyed->type() != CU_GRAPH_NODE_TYPE_MEM_FREE,
            CUDA_ERROR_NOT_SUPPORTED, "nodes of memory can not be destroyed");
    destroyed->graph->remove(*destroyed);
  });
}

CUresult CUDAAPI cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return enter("cuGraphNodeGetType", kPlain,
               [&](Call& call) { result(type) = node_of(call, node)->type(); });
}

CUresult CUDAAPI cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags) {
  return enter("cuGraphDebugDotPrint", kPlain, [&](Call& call) {
    require(path != nullptr, "there is no path");
    std::ofstream file(path);
    file << dot_text(*graph_of(call, graph), flags) << std::flush;
    require(file.good(), CUDA_ERROR_OPERATING_SYSTEM, "the file can not be written");
  });
}

CUresult CUDAAPI cuUserObjectCreate(CUuserObject* object, void* data, CUhostFn destroy,
                                    unsigned references, unsigned flags) {
  return enter("cuUserObjectCreate", kPlain, [&](Call& call) {
    auto& place = result(object);
    require(destroy != nullptr && references > 0 && flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC,
            "a user object has a function, references and the one flag");
    auto made = std::make_shared<UserObject>();
    made->data = data;
    made->destroy = destroy;
    made->references = references;
    call.driver.registry.add(made);
    place = handle_of<CUuserObject>(made.get());
  });
}

namespace {

std::shared_ptr<UserObject> object_of(Call& call, CUuserObject handle) {
  return call.driver.registry.get<UserObject>(handle, CUDA_ERROR_INVALID_VALUE);
}

// The handle is valid as long as the program has references of its own.
void drop_references(Call& call, UserObject& object, unsigned count) {
  require(count > 0 && count <= object.references, "there are not that many references");
  object.references -= count;
  if (object.references == 0) call.driver.registry.remove(&object);
}

}  // namespace

CUresult CUDAAPI cuUserObjectRelease(CUuserObject object, unsigned count) {
  return enter("cuUserObjectRelease", kPlain, [&](Call& call) {
    const auto released = object_of(call, object);
    drop_references(call, *released, count);
  });
}

CUresult CUDAAPI cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                                         unsigned flags) {
  return enter("cuGraphRetainUserObject", kPlain, [&](Call& call) {
    require(count > 0 && (flags & ~static_cast<unsigned>(CU_GRAPH_USER_OBJECT_MOVE)) == 0,
            "there are no references, or unknown flags");
    const auto retained = object_of(call, object);
    const auto holder = graph_of(call, graph);
    if (flags == CU_GRAPH_USER_OBJECT_MOVE) drop_references(call, *retained, count);
    holder->user_objects[retained] += count;
  });
}

CUresult CUDAAPI cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
  return enter("cuGraphReleaseUserObject", kPlain, [&](Call& call) {
    const auto holder = graph_of(call, graph);
    for (auto& [held, references] : holder->user_objects) {
      if (handle_of<CUuserObject>(held.get()) != object) continue;
      require(count > 0 && count <= references, "the graph has not that many references");
      references -= count;
      if (references == 0) holder->user_objects.erase(held);
      return;
    }
    throw DriverError(CUDA_ERROR_INVALID_VALUE, "the graph does not hold the object");
  });
}
