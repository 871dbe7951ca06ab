#include "capture.h"

namespace loci::cuda_rules {
namespace {

std::string type_name(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return "kernel";
    case CU_GRAPH_NODE_TYPE_MEMCPY: return "memcpy";
    case CU_GRAPH_NODE_TYPE_MEMSET: return "memset";
    case CU_GRAPH_NODE_TYPE_HOST: return "host";
    case CU_GRAPH_NODE_TYPE_GRAPH: return "graph";
    case CU_GRAPH_NODE_TYPE_EMPTY: return "empty";
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return "wait";
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return "record";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return "alloc";
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return "free";
    case CU_GRAPH_NODE_TYPE_CONDITIONAL: return "conditional";
    default: return "type " + std::to_string(static_cast<int>(type));
  }
}

}  // namespace

CUstreamCaptureStatus capture_status(CUstream stream) {
  CUstreamCaptureStatus status{};
  must(cu().cuStreamIsCapturing(stream, &status));
  return status;
}

std::string capture_status_name(CUstream stream) {
  switch (capture_status(stream)) {
    case CU_STREAM_CAPTURE_STATUS_NONE: return "none";
    case CU_STREAM_CAPTURE_STATUS_ACTIVE: return "active";
    default: return "invalidated";
  }
}

void begin_capture(CUstream stream, CUstreamCaptureMode mode) {
  must(cu().cuStreamBeginCapture(stream, mode));
}

Captured::~Captured() {
  if (graph != nullptr) cu().cuGraphDestroy(graph);
}

std::size_t node_count(CUgraph graph) {
  std::size_t count = 0;
  must(cu().cuGraphGetNodes(graph, nullptr, &count));
  return count;
}

std::size_t edge_count(CUgraph graph) {
  std::size_t count = 0;
  must(cu().cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  return count;
}

std::vector<CUgraphNode> nodes_of(CUgraph graph) {
  std::size_t count = node_count(graph);
  std::vector<CUgraphNode> nodes(count);
  if (count != 0) must(cu().cuGraphGetNodes(graph, nodes.data(), &count));
  return nodes;
}

std::string node_types(CUgraph graph) {
  std::string types;
  for (const CUgraphNode node : nodes_of(graph)) {
    CUgraphNodeType type{};
    must(cu().cuGraphNodeGetType(node, &type));
    types += (types.empty() ? "" : " ") + type_name(type);
  }
  return types;
}

void run_once(CUgraph graph, CUstream stream) {
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  must(cu().cuGraphLaunch(exec, stream));
  must(cu().cuStreamSynchronize(stream));
  must(cu().cuGraphExecDestroy(exec));
}

void fork(CUstream from, CUstream to, CUevent event) {
  must(cu().cuEventRecord(event, from));
  must(cu().cuStreamWaitEvent(to, event, 0));
}

}  // namespace loci::cuda_rules
