// Executable graphs.
#include "tools/cuda_double/driver/graph_exec.h"

#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/node_parameters.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

namespace {

constexpr unsigned long long kFlags = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                      CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                                      CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

CUgraphExec instantiate(Call& call, CUgraph graph, unsigned long long flags) {
  require((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) == 0, CUDA_ERROR_NOT_SUPPORTED,
          "the double has no launches by devices");
  require((flags & ~kFlags) == 0, "unknown flags");
  const auto source = graph_of(call, graph);
  require(!source->being_captured, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "the graph is still captured");
  auto made = std::make_shared<GraphExec>(source, flags);
  call.driver.registry.add(made);
  return handle_of<CUgraphExec>(made.get());
}

template <typename Description>
CUresult set_described(const char* name, CUgraphExec exec, CUgraphNode node,
                       const Description* described, unsigned traits) {
  return enter(name, traits, [&](Call& call) {
    require(described != nullptr, "there are no parameters");
    Node& changed = exec_of(call, exec)->node_for(*node_of(call, node));
    Operation next = operation_of(call, *described);
    require(may_replace(call.driver, changed.operation, next), "the node may not change that much");
    changed.what = node_text(next);
    changed.operation = std::move(next);
  });
}

}  // namespace

CUresult CUDAAPI cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  return enter("cuGraphInstantiateWithFlags", kNeedsContext | kUnsafeInCapture,
               [&](Call& call) { result(exec) = instantiate(call, graph, flags); });
}

CUresult CUDAAPI cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                              CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  return enter("cuGraphInstantiateWithParams", kNeedsContext | kUnsafeInCapture, [&](Call& call) {
    auto& place = result(exec);
    require(parameters != nullptr, "there are no parameters");
    parameters->hErrNode_out = nullptr;
    parameters->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
    place = instantiate(call, graph, parameters->flags);
    parameters->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  });
}

CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec exec) {
  return enter("cuGraphExecDestroy", kPlain,
               [&](Call& call) { call.driver.registry.remove(exec_of(call, exec).get()); });
}

CUresult CUDAAPI cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t* flags) {
  return enter("cuGraphExecGetFlags", kPlain,
               [&](Call& call) { result(flags) = exec_of(call, exec)->flags; });
}

CUresult CUDAAPI cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return enter("cuGraphLaunch", kNeedsContext,
               [&](Call& call) { launch_graph(call, exec_of(call, exec), stream); });
}

CUresult CUDAAPI cuGraphUpload(CUgraphExec exec, CUstream stream) {
  return enter("cuGraphUpload", kNeedsContext, [&](Call& call) {
    static_cast<void>(exec_of(call, exec));
    require(call.work_stream(stream)->capture == nullptr, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            "the stream is captured");
  });
}

CUresult CUDAAPI cuGraphExecUpdate(CUgraphExec exec, CUgraph graph,
                                   CUgraphExecUpdateResultInfo* info) {
  return enter("cuGraphExecUpdate_v2", kNeedsContext, [&](Call& call) {
    CUgraphExecUpdateResultInfo unwanted{};
    update_exec(call, *exec_of(call, exec), *graph_of(call, graph),
                info == nullptr ? unwanted : *info);
  });
}

CUresult CUDAAPI cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                const CUDA_KERNEL_NODE_PARAMS* described) {
  return set_described("cuGraphExecKernelNodeSetParams_v2", exec, node, described, kNeedsContext);
}
CUresult CUDAAPI cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                const CUDA_MEMCPY3D* described, CUcontext) {
  return set_described("cuGraphExecMemcpyNodeSetParams", exec, node, described, kPlain);
}
CUresult CUDAAPI cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                const CUDA_MEMSET_NODE_PARAMS* described,
                                                CUcontext) {
  return set_described("cuGraphExecMemsetNodeSetParams", exec, node, described, kPlain);
}
CUresult CUDAAPI cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                              const CUDA_HOST_NODE_PARAMS* described) {
  return set_described("cuGraphExecHostNodeSetParams", exec, node, described, kPlain);
}

CUresult CUDAAPI cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                    CUevent event) {
  return enter("cuGraphExecEventRecordNodeSetEvent", kPlain, [&](Call& call) {
    Node& changed = exec_of(call, exec)->node_for(*node_of(call, node));
    auto* operation = std::get_if<RecordOperation>(&changed.operation);
    require(operation != nullptr, "the node is of another kind");
    operation->event = event_of(call, event);
  });
}

CUresult CUDAAPI cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  return enter("cuGraphNodeSetEnabled", kPlain, [&](Call& call) {
    const auto changed = exec_of(call, exec);
    changed->enable(changed->node_for(*node_of(call, node)), enabled != 0);
  });
}

CUresult CUDAAPI cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned* enabled) {
  return enter("cuGraphNodeGetEnabled", kPlain, [&](Call& call) {
    const auto asked = exec_of(call, exec);
    result(enabled) = asked->is_enabled(asked->node_for(*node_of(call, node))) ? 1 : 0;
  });
}
