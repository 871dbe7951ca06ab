// Graphs as a whole: edges, clones, instantiation, launches.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "capture.h"

namespace loci::cuda_rules {
namespace {

using Graph = DriverTest;

class OwnGraph {
 public:
  OwnGraph() { must(cu().cuGraphCreate(&graph_, 0)); }
  ~OwnGraph() { cu().cuGraphDestroy(graph_); }
  OwnGraph(const OwnGraph&) = delete;
  OwnGraph& operator=(const OwnGraph&) = delete;
  operator CUgraph() const { return graph_; }

 private:
  CUgraph graph_ = nullptr;
};

CUgraphNode add_empty(CUgraph graph) {
  CUgraphNode node = nullptr;
  must(cu().cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  return node;
}

CUgraphNode add_store(CUgraph graph, CUdeviceptr address, std::uint32_t value) {
  void* arguments[] = {&address, &value};
  CUDA_KERNEL_NODE_PARAMS parameters{};
  parameters.func = kernel("store");
  parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = arguments;
  CUgraphNode node = nullptr;
  must(cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
  return node;
}

CUresult add_edge(CUgraph graph, CUgraphNode from, CUgraphNode to) {
  return cu().cuGraphAddDependencies(graph, &from, &to, nullptr, 1);
}

TEST_F(Graph, Creation) {
  CUgraph graph = nullptr;
  expect("flags", cu().cuGraphCreate(&graph, 1), CUDA_ERROR_INVALID_VALUE);
  expect("no result", cu().cuGraphCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  expect_one_of("destroy null", cu().cuGraphDestroy(nullptr),
                {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE});
}

TEST_F(Graph, Edges) {
  OwnGraph graph;
  const CUgraphNode a = add_empty(graph);
  const CUgraphNode b = add_empty(graph);
  const CUgraphNode c = add_empty(graph);
  expect("a to b", add_edge(graph, a, b), CUDA_SUCCESS);
  expect("b to c", add_edge(graph, b, c), CUDA_SUCCESS);
  expect("a to b again", add_edge(graph, a, b), CUDA_ERROR_INVALID_VALUE);
  expect("to itself", add_edge(graph, a, a), CUDA_ERROR_INVALID_VALUE);
  record("a cycle", add_edge(graph, c, a));
  record("edges with the cycle", edge_count(graph));
  CUgraphExec exec = nullptr;
  const CUresult cyclic = cu().cuGraphInstantiate(&exec, graph, 0);
  record("instantiate with the cycle", cyclic);
  if (cyclic == CUDA_SUCCESS) must(cu().cuGraphExecDestroy(exec));
  record("remove the cycle", cu().cuGraphRemoveDependencies(graph, &c, &a, nullptr, 1));
  expect("remove an edge that is none", cu().cuGraphRemoveDependencies(graph, &a, &c, nullptr, 1),
         CUDA_ERROR_INVALID_VALUE);
  std::size_t count = 0;
  must(cu().cuGraphNodeGetDependencies(c, nullptr, nullptr, &count));
  expect_value("what c depends on", count, 1);
  must(cu().cuGraphNodeGetDependentNodes(a, nullptr, nullptr, &count));
  expect_value("what depends on a", count, 1);
  CUgraphNode few[1];
  count = 1;
  expect("room for one node of three", cu().cuGraphGetNodes(graph, few, &count), CUDA_SUCCESS);
  record("count that was given back", count);
  CUgraphNode many[5];
  for (auto& node : many) node = a;
  count = 5;
  must(cu().cuGraphGetNodes(graph, many, &count));
  expect_value("count of many", count, 3);
  record("the rest is null", many[3] == nullptr && many[4] == nullptr);
}

TEST_F(Graph, EdgesBetweenGraphs) {
  OwnGraph first;
  OwnGraph second;
  const CUgraphNode a = add_empty(first);
  const CUgraphNode b = add_empty(second);
  expect("edge", add_edge(first, a, b), CUDA_ERROR_INVALID_VALUE);
  CUgraphNode node = nullptr;
  expect("dependency", cu().cuGraphAddEmptyNode(&node, first, &b, 1), CUDA_ERROR_INVALID_VALUE);
  const CUgraphNode twice[] = {a, a};
  expect("the same dependency twice", cu().cuGraphAddEmptyNode(&node, first, twice, 2),
         CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graph, DestroyedNodeTakesItsEdges) {
  OwnGraph graph;
  const CUgraphNode a = add_empty(graph);
  const CUgraphNode b = add_empty(graph);
  const CUgraphNode c = add_empty(graph);
  must(add_edge(graph, a, b));
  must(add_edge(graph, b, c));
  expect("destroy", cu().cuGraphDestroyNode(b), CUDA_SUCCESS);
  expect_value("edges", edge_count(graph), 0);
  expect_value("nodes", node_count(graph), 2);
}

TEST_F(Graph, Launches) {
  DeviceMemory memory(4);
  Stream stream;
  Stream other;
  OwnGraph graph;
  add_store(graph, memory, 4);
  CUgraphExec exec = nullptr;
  expect("instantiate", cu().cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  expect("unknown flags", cu().cuGraphInstantiate(&exec, graph, 0x100), CUDA_ERROR_INVALID_VALUE);
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  expect("launch", cu().cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  expect("on another stream", cu().cuGraphLaunch(exec, other), CUDA_SUCCESS);
  expect("on the legacy stream", cu().cuGraphLaunch(exec, nullptr), CUDA_SUCCESS);
  expect("on the stream of the thread", cu().cuGraphLaunch(exec, CU_STREAM_PER_THREAD),
         CUDA_SUCCESS);
  must(cu().cuCtxSynchronize());
  expect_value("stored", memory.word(), 4U);
  cuuint64_t flags = 9;
  expect("cuGraphExecGetFlags", cu().cuGraphExecGetFlags(exec, &flags), CUDA_SUCCESS);
  expect_value("flags", flags, 0U);
  expect("upload", cu().cuGraphUpload(exec, stream), CUDA_SUCCESS);
  stream.synchronize();
  must(cu().cuGraphExecDestroy(exec));
  expect_one_of("null", cu().cuGraphLaunch(nullptr, stream),
                {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE});
  expect_one_of("destroy null", cu().cuGraphExecDestroy(nullptr),
                {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE});
}

TEST_F(Graph, KeepsTheOrderOfItsStream) {
  DeviceMemory memory(4);
  Stream stream;
  OwnGraph graph;
  add_store(graph, memory, 4);
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  Gate gate;
  gate.close(stream);
  must(launch_store(stream, memory, 1));
  expect_text("launch",
              blocks_until_open(gate, context(), [&] { must(cu().cuGraphLaunch(exec, stream)); }),
              "returns");
  must(launch_increment(stream, memory));
  stream.synchronize();
  expect_value("stored", memory.word(), 5U);
  must(cu().cuGraphExecDestroy(exec));
}

TEST_F(Graph, OneExecDoesNotRunTwiceAtOnce) {
  Stream first;
  Stream second;
  DeviceMemory memory(4);
  Gate gate;
  OwnGraph graph;
  add_store(graph, memory, 4);
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  gate.close(first);
  must(cu().cuGraphLaunch(exec, first));
  must(cu().cuGraphLaunch(exec, second));
  record("second behind the first", cu().cuStreamQuery(second));
  gate.open();
  must(cu().cuCtxSynchronize());
  must(cu().cuGraphExecDestroy(exec));
}

TEST_F(Graph, ExecOutlivesItsGraphAndMayBeDestroyedWhileItRuns) {
  DeviceMemory memory(4);
  Stream stream;
  CUgraph graph = graph_of_store(memory, 6);
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  expect("destroy the graph", cu().cuGraphDestroy(graph), CUDA_SUCCESS);
  Gate gate;
  gate.close(stream);
  must(cu().cuGraphLaunch(exec, stream));
  expect_text("destroy while running",
              blocks_until_open(gate, context(), [&] { must(cu().cuGraphExecDestroy(exec)); }),
              "returns");
  stream.synchronize();
  expect_value("ran", memory.word(), 6U);
}

TEST_F(Graph, ChangesDoNotReachTheExec) {
  DeviceMemory memory(8);
  Stream stream;
  OwnGraph graph;
  add_store(graph, memory, 1);
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  add_store(graph, memory + 4, 2);
  must(cu().cuGraphLaunch(exec, stream));
  stream.synchronize();
  expect_value("the node that came later", memory.word(1), 0U);
  must(cu().cuGraphExecDestroy(exec));
}

TEST_F(Graph, Clones) {
  DeviceMemory memory(4);
  OwnGraph graph;
  const CUgraphNode node = add_store(graph, memory, 1);
  CUgraph clone = nullptr;
  expect("clone", cu().cuGraphClone(&clone, graph), CUDA_SUCCESS);
  CUgraphNode found = nullptr;
  expect("find", cu().cuGraphNodeFindInClone(&found, node, clone), CUDA_SUCCESS);
  expect_value("is another node", found != node, true);
  const CUgraphNode later = add_empty(graph);
  expect_value("is independent", node_count(clone), 1);
  expect_one_of("find what came later", cu().cuGraphNodeFindInClone(&found, later, clone),
                {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_FOUND});
  must(cu().cuGraphDestroy(clone));
}

TEST_F(Graph, UserObjectsLiveAsLongAsWhatHoldsThem) {
  static int destroyed = 0;
  destroyed = 0;
  DeviceMemory memory(4);
  Stream stream;
  CUgraph graph = graph_of_store(memory, 1);
  CUuserObject object = nullptr;
  expect("create",
         cu().cuUserObjectCreate(
             &object, nullptr, [](void*) { ++destroyed; }, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
         CUDA_SUCCESS);
  expect("retain by the graph",
         cu().cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE), CUDA_SUCCESS);
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  must(cu().cuGraphDestroy(graph));
  expect_value("destroyed with the graph", destroyed, 0);
  must(cu().cuGraphLaunch(exec, stream));
  stream.synchronize();
  must(cu().cuGraphExecDestroy(exec));
  must(cu().cuCtxSynchronize());
  for (int tries = 0; tries < 200 && destroyed == 0; ++tries) usleep(10'000);
  expect_value("destroyed with the exec", destroyed, 1);
  expect("no sync flag",
         cu().cuUserObjectCreate(
             &object, nullptr, [](void*) {}, 1, 0),
         CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graph, PrintsDot) {
  DeviceMemory memory(4);
  OwnGraph graph;
  const CUgraphNode store = add_store(graph, memory, 1);
  must(add_edge(graph, store, add_empty(graph)));
  const std::string path = "/tmp/cuda_rules_" + std::to_string(getpid()) + ".dot";
  expect("print", cu().cuGraphDebugDotPrint(graph, path.c_str(), 0), CUDA_SUCCESS);
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  record("text", text.str());
  EXPECT_NE(text.str().find("digraph"), std::string::npos);
  EXPECT_NE(text.str().find("->"), std::string::npos);
  expect("verbose",
         cu().cuGraphDebugDotPrint(graph, path.c_str(), CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE),
         CUDA_SUCCESS);
  std::ifstream again(path);
  std::stringstream verbose;
  verbose << again.rdbuf();
  record("verbose text", verbose.str());
  std::remove(path.c_str());
  record("to a folder that is none",
         cu().cuGraphDebugDotPrint(graph, "/no/such/folder/file.dot", 0));
}

TEST_F(Graph, InstantiationWithParameters) {
  DeviceMemory memory(4);
  Stream stream;
  OwnGraph graph;
  add_store(graph, memory, 3);
  CUDA_GRAPH_INSTANTIATE_PARAMS parameters{};
  parameters.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
  parameters.hUploadStream = stream;
  CUgraphExec exec = nullptr;
  expect("instantiate", cu().cuGraphInstantiateWithParams(&exec, graph, &parameters), CUDA_SUCCESS);
  expect_value("result", static_cast<int>(parameters.result_out),
               static_cast<int>(CUDA_GRAPH_INSTANTIATE_SUCCESS));
  must(cu().cuGraphLaunch(exec, stream));
  stream.synchronize();
  must(cu().cuGraphExecDestroy(exec));
}

TEST_F(Graph, SpinningNodeSeesWhatTheHostWrites) {
  PinnedMemory flag(4);
  Stream stream;
  OwnGraph graph;
  CUdeviceptr address = flag.address();
  void* arguments[] = {&address};
  CUDA_KERNEL_NODE_PARAMS parameters{};
  parameters.func = kernel("spin");
  parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = arguments;
  CUgraphNode spinning = nullptr;
  must(cu().cuGraphAddKernelNode(&spinning, graph, nullptr, 0, &parameters));
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  must(cu().cuGraphLaunch(exec, stream));
  expect("pending", cu().cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  flag.words()[0] = 1;
  stream.synchronize();
  must(cu().cuGraphExecDestroy(exec));
}

}  // namespace
}  // namespace loci::cuda_rules
