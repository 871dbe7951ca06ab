// Nodes of graphs and their parameters.
#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/conditions.h"
#include "tools/cuda_double/driver/edge_data.h"
#include "tools/cuda_double/driver/node_parameters.h"
#include "tools/cuda_double/driver/pool_access.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

namespace {

Node& add(Call& call, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
          Operation operation, CUcontext context) {
  const auto target = graph_of(call, graph);
  const auto before = nodes_of(call, dependencies, count);
  Context* const of = node_context(call, operation, context);
  const std::string text = node_text(operation);
  return target->add(std::move(operation), of, text, before);
}

template <typename Description>
CUresult add_described(const char* name, CUgraphNode* node, CUgraph graph,
                       const CUgraphNode* dependencies, std::size_t count,
                       const Description* described, CUcontext context, unsigned traits) {
  return enter(name, traits, [&](Call& call) {
    auto& place = result(node);
    require(described != nullptr, "there are no parameters");
    place = handle_of<CUgraphNode>(
        &add(call, graph, dependencies, count, operation_of(call, *described), context));
  });
}

CUresult add_plain(const char* name, CUgraphNode* node, CUgraph graph,
                   const CUgraphNode* dependencies, std::size_t count,
                   const std::function<Operation(Call&)>& operation) {
  return enter(name, kPlain, [&](Call& call) {
    auto& place = result(node);
    place =
        handle_of<CUgraphNode>(&add(call, graph, dependencies, count, operation(call), nullptr));
  });
}

// A child graph's own copy.
ChildOperation child_of(Call& call, CUgraph child) {
  const auto original = graph_of(call, child);
  require(!original->has(CU_GRAPH_NODE_TYPE_CONDITIONAL) &&
              !original->has(CU_GRAPH_NODE_TYPE_MEM_ALLOC) &&
              !original->has(CU_GRAPH_NODE_TYPE_MEM_FREE),
          CUDA_ERROR_NOT_SUPPORTED, "a graph with such nodes can not be a child");
  const auto copy = original->clone();
  copy->owned = true;
  return {copy};
}

template <typename Kind>
Kind& operation_in(Node& node) {
  Kind* operation = std::get_if<Kind>(&node.operation);
  require(operation != nullptr, "the node is of another kind");
  return *operation;
}

void check_new_condition(const Graph& graph, const Condition& condition) {
  for (const auto& node : graph.nodes) {
    const auto* other = std::get_if<ConditionalOperation>(&node->operation);
    require(other == nullptr || other->condition.get() != &condition,
            "the handle has a node already");
  }
}

// An else, and switches, came with 12.8.
std::size_t check_bodies(const Call& call, CUgraphConditionalNodeType type, unsigned size) {
  const bool is_older = call.driver.settings.version < 12080;
  switch (type) {
    case CU_GRAPH_COND_TYPE_IF:
      require(size == 1 || (size == 2 && !is_older), is_older ? "1 body" : "1 or 2 bodies");
      break;
    case CU_GRAPH_COND_TYPE_WHILE: require(size == 1, "1 body"); break;
    case CU_GRAPH_COND_TYPE_SWITCH: require(size > 0 && !is_older, "no bodies"); break;
    default: throw DriverError(CUDA_ERROR_INVALID_VALUE, "there is no such type");
  }
  return size;
}

Node& add_conditional(Call& call, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                      CUDA_CONDITIONAL_NODE_PARAMS& described) {
  ConditionalOperation conditional;
  conditional.condition = find_condition(described.handle);
  require(conditional.condition != nullptr, "there is no such handle");
  check_new_condition(*graph_of(call, graph), *conditional.condition);
  conditional.type = described.type;
  const std::size_t bodies = check_bodies(call, described.type, described.size);
  for (std::size_t i = 0; i < bodies; ++i) {
    auto body = std::make_shared<Graph>();
    body->owned = true;
    call.driver.registry.add(body);
    conditional.handles.push_back(handle_of<CUgraph>(body.get()));
    conditional.bodies.push_back(std::move(body));
  }
  Node& node = add(call, graph, dependencies, count, std::move(conditional), described.ctx);
  described.phGraph_out = operation_in<ConditionalOperation>(node).handles.data();
  return node;
}

Node& add_allocation(Call& call, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                     CUDA_MEM_ALLOC_NODE_PARAMS_v2& described) {
  require(described.poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
              described.poolProps.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
              described.bytesize > 0,
          "an allocation is of pinned memory of a device");
  Device& device = call.driver.device(described.poolProps.location.id);
  check_access(call.driver, device.ordinal(), described.accessDescs, described.accessDescCount);
  PoolAccess access;
  set_access(access, described.accessDescs, described.accessDescCount);
  auto memory = std::make_shared<GraphMemory>(device, described.bytesize, access, call.text());
  call.driver.blocks.add({.base = memory->address,
                          .bytes = memory->bytes,
                          .origin = MemoryBlock::Origin::kGraph,
                          .graph_memory = memory.get()});
  described.dptr = memory->address;
  return add(call, graph, dependencies, count, AllocationOperation{memory}, nullptr);
}

CUDA_MEMSET_NODE_PARAMS older(const CUDA_MEMSET_NODE_PARAMS_v2& described) {
  return {described.dst,         described.pitch, described.value,
          described.elementSize, described.width, described.height};
}

Node& add_of_any_kind(Call& call, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                      CUgraphNodeParams& described) {
  const auto plain = [&](Operation operation, CUcontext context) -> Node& {
    return add(call, graph, dependencies, count, std::move(operation), context);
  };
  switch (described.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      const auto& kernel = described.kernel;
      return plain(
          operation_of(call, CUDA_KERNEL_NODE_PARAMS{kernel.func, kernel.gridDimX, kernel.gridDimY,
                                                     kernel.gridDimZ, kernel.blockDimX,
                                                     kernel.blockDimY, kernel.blockDimZ,
                                                     kernel.sharedMemBytes, kernel.kernelParams,
                                                     kernel.extra, kernel.kern, kernel.ctx}),
          nullptr);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return plain(operation_of(call, described.memcpy.copyParams), described.memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return plain(operation_of(call, older(described.memset)), described.memset.ctx);
    case CU_GRAPH_NODE_TYPE_HOST:
      return plain(
          operation_of(call, CUDA_HOST_NODE_PARAMS{described.host.fn, described.host.userData}),
          nullptr);
    case CU_GRAPH_NODE_TYPE_GRAPH: return plain(child_of(call, described.graph.graph), nullptr);
    case CU_GRAPH_NODE_TYPE_EMPTY: return plain(EmptyOperation{}, nullptr);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return plain(WaitOperation{event_of(call, described.eventWait.event)}, nullptr);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return plain(RecordOperation{event_of(call, described.eventRecord.event)}, nullptr);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return add_conditional(call, graph, dependencies, count, described.conditional);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return add_allocation(call, graph, dependencies, count, described.alloc);
    case CU_GRAPH_NODE_TYPE_MEM_FREE: {
      MemoryBlock* block = call.driver.blocks.at(described.free.dptr);
      require(block != nullptr && block->graph_memory != nullptr &&
                  !block->graph_memory->freed_by_graph,
              "it is not memory of a graph");
      block->graph_memory->freed_by_graph = true;
      return plain(ReleaseOperation{block->graph_memory->shared_from_this()}, nullptr);
    }
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      throw DriverError(CUDA_ERROR_NOT_SUPPORTED, "the double has no such nodes");
    default: throw DriverError(CUDA_ERROR_INVALID_VALUE, "there is no such type of node");
  }
}

template <typename Kind, typename Description>
CUresult set_described(const char* name, CUgraphNode node, const Description* described,
                       unsigned traits) {
  return enter(name, traits, [&](Call& call) {
    require(described != nullptr, "there are no parameters");
    const auto changed = node_of(call, node);
    operation_in<Kind>(*changed) = operation_of(call, *described);
  });
}

}  // namespace

CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph,
                                      const CUgraphNode* dependencies, std::size_t count,
                                      const CUDA_KERNEL_NODE_PARAMS* described) {
  return add_described("cuGraphAddKernelNode_v2", node, graph, dependencies, count, described,
                       nullptr, kNeedsContext);
}
CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph,
                                      const CUgraphNode* dependencies, std::size_t count,
                                      const CUDA_MEMCPY3D* described, CUcontext context) {
  return add_described("cuGraphAddMemcpyNode", node, graph, dependencies, count, described, context,
                       kPlain);
}
CUresult CUDAAPI cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph,
                                      const CUgraphNode* dependencies, std::size_t count,
                                      const CUDA_MEMSET_NODE_PARAMS* described, CUcontext context) {
  return add_described("cuGraphAddMemsetNode", node, graph, dependencies, count, described, context,
                       kPlain);
}
CUresult CUDAAPI cuGraphAddHostNode(CUgraphNode* node, CUgraph graph,
                                    const CUgraphNode* dependencies, std::size_t count,
                                    const CUDA_HOST_NODE_PARAMS* described) {
  return add_described("cuGraphAddHostNode", node, graph, dependencies, count, described, nullptr,
                       kPlain);
}
CUresult CUDAAPI cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph,
                                          const CUgraphNode* dependencies, std::size_t count,
                                          CUgraph child) {
  return add_plain("cuGraphAddChildGraphNode", node, graph, dependencies, count,
                   [&](Call& call) -> Operation { return child_of(call, child); });
}
CUresult CUDAAPI cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph,
                                     const CUgraphNode* dependencies, std::size_t count) {
  return add_plain("cuGraphAddEmptyNode", node, graph, dependencies, count,
                   [](Call&) -> Operation { return EmptyOperation{}; });
}
CUresult CUDAAPI cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph,
                                           const CUgraphNode* dependencies, std::size_t count,
                                           CUevent event) {
  return add_plain("cuGraphAddEventRecordNode", node, graph, dependencies, count,
                   [&](Call& call) -> Operation { return RecordOperation{event_of(call, event)}; });
}
CUresult CUDAAPI cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph,
                                         const CUgraphNode* dependencies, std::size_t count,
                                         CUevent event) {
  return add_plain("cuGraphAddEventWaitNode", node, graph, dependencies, count,
                   [&](Call& call) -> Operation { return WaitOperation{event_of(call, event)}; });
}

CUresult CUDAAPI cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                const CUgraphEdgeData* data, std::size_t count,
                                CUgraphNodeParams* described) {
  return enter("cuGraphAddNode_v2", kNeedsContext, [&](Call& call) {
    auto& place = result(node);
    require(described != nullptr, "there are no parameters");
    require_plain_edges(data, count);
    place = handle_of<CUgraphNode>(&add_of_any_kind(call, graph, dependencies, count, *described));
  });
}

CUresult CUDAAPI cuGraphConditionalHandleCreate(CUgraphConditionalHandle* handle, CUgraph graph,
                                                CUcontext context, unsigned value, unsigned flags) {
  return enter("cuGraphConditionalHandleCreate", kPlain, [&](Call& call) {
    auto& place = result(handle);
    require((flags & ~static_cast<unsigned>(CU_GRAPH_COND_ASSIGN_DEFAULT)) == 0, "unknown flags");
    const auto owner = graph_of(call, graph);
    if (context != nullptr) static_cast<void>(context_of(call, context));
    owner->conditions.push_back(make_condition(value, (flags & CU_GRAPH_COND_ASSIGN_DEFAULT) != 0));
    place = owner->conditions.back()->handle;
  });
}

CUresult CUDAAPI cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* described) {
  return enter("cuGraphKernelNodeGetParams_v2", kPlain, [&](Call& call) {
    const auto asked = node_of(call, node);
    result(described) = description_of(*asked, operation_in<KernelOperation>(*asked));
  });
}
CUresult CUDAAPI cuGraphKernelNodeSetParams(CUgraphNode node,
                                            const CUDA_KERNEL_NODE_PARAMS* described) {
  return set_described<KernelOperation>("cuGraphKernelNodeSetParams_v2", node, described,
                                        kNeedsContext);
}
CUresult CUDAAPI cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* described) {
  return enter("cuGraphMemcpyNodeGetParams", kPlain, [&](Call& call) {
    result(described) = description_of(call, operation_in<CopyOperation>(*node_of(call, node)));
  });
}
CUresult CUDAAPI cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* described) {
  return set_described<CopyOperation>("cuGraphMemcpyNodeSetParams", node, described, kPlain);
}
CUresult CUDAAPI cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* described) {
  return enter("cuGraphMemsetNodeGetParams", kPlain, [&](Call& call) {
    result(described) = description_of(operation_in<FillOperation>(*node_of(call, node)));
  });
}
CUresult CUDAAPI cuGraphMemsetNodeSetParams(CUgraphNode node,
                                            const CUDA_MEMSET_NODE_PARAMS* described) {
  return set_described<FillOperation>("cuGraphMemsetNodeSetParams", node, described, kPlain);
}
CUresult CUDAAPI cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* described) {
  return enter("cuGraphHostNodeGetParams", kPlain, [&](Call& call) {
    const auto& host = operation_in<HostOperation>(*node_of(call, node));
    result(described) = {host.function, host.data};
  });
}
CUresult CUDAAPI cuGraphHostNodeSetParams(CUgraphNode node,
                                          const CUDA_HOST_NODE_PARAMS* described) {
  return set_described<HostOperation>("cuGraphHostNodeSetParams", node, described, kPlain);
}
CUresult CUDAAPI cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
  return enter("cuGraphEventRecordNodeGetEvent", kPlain, [&](Call& call) {
    result(event) =
        handle_of<CUevent>(operation_in<RecordOperation>(*node_of(call, node)).event.get());
  });
}
CUresult CUDAAPI cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
  return enter("cuGraphEventWaitNodeGetEvent", kPlain, [&](Call& call) {
    result(event) =
        handle_of<CUevent>(operation_in<WaitOperation>(*node_of(call, node)).event.get());
  });
}
CUresult CUDAAPI cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  return enter("cuGraphChildGraphNodeGetGraph", kPlain, [&](Call& call) {
    result(graph) =
        handle_of<CUgraph>(operation_in<ChildOperation>(*node_of(call, node)).graph.get());
  });
}
