// Changing an executable graph: node by node, and as a whole.
#include <vector>

#include "capture.h"

namespace loci::cuda_rules {
namespace {

using GraphUpdate = DriverTest;

class Exec {
 public:
  explicit Exec(CUgraph graph) { must(cu().cuGraphInstantiate(&exec_, graph, 0)); }
  ~Exec() { cu().cuGraphExecDestroy(exec_); }
  Exec(const Exec&) = delete;
  Exec& operator=(const Exec&) = delete;
  operator CUgraphExec() const { return exec_; }

 private:
  CUgraphExec exec_ = nullptr;
};

// A graph that is captured from what the function enqueues.
class Recorded {
 public:
  template <typename Work>
  explicit Recorded(const Work& work) {
    Stream stream;
    begin_capture(stream);
    work(static_cast<CUstream>(stream));
    must(cu().cuStreamEndCapture(stream, &graph_));
  }
  ~Recorded() { cu().cuGraphDestroy(graph_); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  operator CUgraph() const { return graph_; }

 private:
  CUgraph graph_ = nullptr;
};

struct KernelCall {
  CUdeviceptr address;
  std::uint32_t value;
  void* arguments[2] = {&address, &value};
  CUDA_KERNEL_NODE_PARAMS parameters{};

  KernelCall(CUdeviceptr where, std::uint32_t what) : address(where), value(what) {
    parameters.func = kernel("store");
    parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = arguments;
  }
};

const char* name(CUgraphExecUpdateResult result) {
  constexpr const char* kNames[] = {"SUCCESS",           "ERROR",
                                    "TOPOLOGY_CHANGED",  "NODE_TYPE_CHANGED",
                                    "FUNCTION_CHANGED",  "PARAMETERS_CHANGED",
                                    "NOT_SUPPORTED",     "UNSUPPORTED_FUNCTION_CHANGE",
                                    "ATTRIBUTES_CHANGED"};
  return kNames[result];
}

CUresult update(const char* what, CUgraphExec exec, CUgraph graph,
                CUgraphExecUpdateResult expected) {
  CUgraphExecUpdateResultInfo info{};
  const CUresult code = cu().cuGraphExecUpdate(exec, graph, &info);
  expect(what, code,
         expected == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS
                                                  : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  expect_text(std::string(what) + ", why", name(info.result), name(expected));
  record(std::string(what) + ", names a node", info.errorNode != nullptr);
  record(std::string(what) + ", names a node it comes from", info.errorFromNode != nullptr);
  return code;
}

TEST_F(GraphUpdate, KernelNode) {
  DeviceMemory memory(8);
  Stream stream;
  CUgraphNode node = nullptr;
  const CUgraph graph = graph_of_store(memory, 1, &node);
  {
    Exec exec(graph);
    Gate gate;
    gate.close(stream);
    must(cu().cuGraphLaunch(exec, stream));
    KernelCall call(memory + 4, 2);
    expect("set", cu().cuGraphExecKernelNodeSetParams(exec, node, &call.parameters), CUDA_SUCCESS);
    gate.open();
    stream.synchronize();
    expect_value("what was enqueued keeps its value", memory.word(0), 1U);
    expect_value("and its place", memory.word(1), 0U);
    must(cu().cuGraphLaunch(exec, stream));
    stream.synchronize();
    expect_value("the next launch has the new one", memory.word(1), 2U);
    call.parameters.func = kernel("increment");
    expect("another function", cu().cuGraphExecKernelNodeSetParams(exec, node, &call.parameters),
           CUDA_SUCCESS);
    must(cu().cuGraphLaunch(exec, stream));
    stream.synchronize();
    expect_value("incremented", memory.word(1), 3U);
    call.parameters.gridDimX = 0;
    expect("no blocks", cu().cuGraphExecKernelNodeSetParams(exec, node, &call.parameters),
           CUDA_ERROR_INVALID_VALUE);
    CUgraphNode foreign = nullptr;
    const CUgraph other = graph_of_store(memory, 1, &foreign);
    call.parameters.gridDimX = 1;
    expect("a node of another graph",
           cu().cuGraphExecKernelNodeSetParams(exec, foreign, &call.parameters),
           CUDA_ERROR_INVALID_VALUE);
    must(cu().cuGraphDestroy(other));
  }
  must(cu().cuGraphDestroy(graph));
}

TEST_F(GraphUpdate, FillNode) {
  DeviceMemory memory(64);
  Stream stream;
  CUgraph graph = nullptr;
  must(cu().cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS fill{memory, 0, 1, 4, 4, 1};
  CUgraphNode node = nullptr;
  must(cu().cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context()));
  {
    Exec exec(graph);
    fill.value = 9;
    expect("value", cu().cuGraphExecMemsetNodeSetParams(exec, node, &fill, context()),
           CUDA_SUCCESS);
    fill.dst = memory + 32;
    expect("address", cu().cuGraphExecMemsetNodeSetParams(exec, node, &fill, context()),
           CUDA_SUCCESS);
    must(cu().cuGraphLaunch(exec, stream));
    stream.synchronize();
    expect_value("filled", memory.word(8), 9U);
    expect_value("not there", memory.word(0), 0U);
    fill.width = 8;
    record("width", cu().cuGraphExecMemsetNodeSetParams(exec, node, &fill, context()));
    fill.elementSize = 1;
    record("element", cu().cuGraphExecMemsetNodeSetParams(exec, node, &fill, context()));
    fill = {memory, 8, 1, 4, 2, 2};
    record("two rows for one", cu().cuGraphExecMemsetNodeSetParams(exec, node, &fill, context()));
  }
  must(cu().cuGraphDestroy(graph));
}

TEST_F(GraphUpdate, CopyNode) {
  DeviceMemory memory(64);
  PinnedMemory pinned(64);
  pinned.words()[0] = 5;
  Stream stream;
  CUgraph graph = nullptr;
  must(cu().cuGraphCreate(&graph, 0));
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = pinned.data();
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.WidthInBytes = 4;
  copy.Height = copy.Depth = 1;
  CUgraphNode node = nullptr;
  must(cu().cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context()));
  {
    Exec exec(graph);
    copy.dstDevice = memory + 8;
    expect("address", cu().cuGraphExecMemcpyNodeSetParams(exec, node, &copy, context()),
           CUDA_SUCCESS);
    must(cu().cuGraphLaunch(exec, stream));
    stream.synchronize();
    expect_value("copied", memory.word(2), 5U);
    copy.WidthInBytes = 8;
    record("bytes", cu().cuGraphExecMemcpyNodeSetParams(exec, node, &copy, context()));
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = memory;
    expect("another kind", cu().cuGraphExecMemcpyNodeSetParams(exec, node, &copy, context()),
           CUDA_ERROR_INVALID_VALUE);
  }
  must(cu().cuGraphDestroy(graph));
}

TEST_F(GraphUpdate, HostNode) {
  int first = 0;
  int second = 0;
  CUgraph graph = nullptr;
  must(cu().cuGraphCreate(&graph, 0));
  CUDA_HOST_NODE_PARAMS host{[](void* data) { ++*static_cast<int*>(data); }, &first};
  CUgraphNode node = nullptr;
  must(cu().cuGraphAddHostNode(&node, graph, nullptr, 0, &host));
  {
    Exec exec(graph);
    host.userData = &second;
    expect("set", cu().cuGraphExecHostNodeSetParams(exec, node, &host), CUDA_SUCCESS);
    Stream stream;
    must(cu().cuGraphLaunch(exec, stream));
    stream.synchronize();
  }
  expect_value("first", first, 0);
  expect_value("second", second, 1);
  must(cu().cuGraphDestroy(graph));
}

TEST_F(GraphUpdate, EnabledNodes) {
  DeviceMemory memory(4);
  Stream stream;
  CUgraphNode node = nullptr;
  const CUgraph graph = graph_of_store(memory, 7, &node);
  {
    Exec exec(graph);
    unsigned enabled = 9;
    expect("get", cu().cuGraphNodeGetEnabled(exec, node, &enabled), CUDA_SUCCESS);
    expect_value("at first", enabled, 1U);
    expect("disable", cu().cuGraphNodeSetEnabled(exec, node, 0), CUDA_SUCCESS);
    must(cu().cuGraphLaunch(exec, stream));
    stream.synchronize();
    expect_value("did not run", memory.word(), 0U);
    expect("enable", cu().cuGraphNodeSetEnabled(exec, node, 1), CUDA_SUCCESS);
    must(cu().cuGraphLaunch(exec, stream));
    stream.synchronize();
    expect_value("ran", memory.word(), 7U);
  }
  must(cu().cuGraphDestroy(graph));
}

TEST_F(GraphUpdate, WholeWithTheSameShape) {
  DeviceMemory memory(16);
  Stream stream;
  Recorded first([&](CUstream s) {
    must(launch_store(s, memory, 1));
    must(cu().cuMemsetD32Async(memory + 4, 1, 1, s));
  });
  Recorded second([&](CUstream s) {
    must(launch_store(s, memory + 8, 2));
    must(cu().cuMemsetD32Async(memory + 12, 3, 1, s));
  });
  Exec exec(first);
  update("update", exec, second, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  must(cu().cuGraphLaunch(exec, stream));
  stream.synchronize();
  expect_value("kernel", memory.word(2), 2U);
  expect_value("fill", memory.word(3), 3U);
  expect_value("old kernel", memory.word(0), 0U);
}

TEST_F(GraphUpdate, RefusedForOtherTopology) {
  DeviceMemory memory(16);
  Stream stream;
  Recorded one([&](CUstream s) { must(launch_store(s, memory, 1)); });
  Recorded two([&](CUstream s) {
    must(launch_store(s, memory, 2));
    must(launch_store(s, memory, 3));
  });
  Exec exec(one);
  update("one node more", exec, two, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  must(cu().cuGraphLaunch(exec, stream));
  stream.synchronize();
  expect_value("still runs as it was", memory.word(), 1U);
  CUgraph unordered = nullptr;
  must(cu().cuGraphClone(&unordered, two));
  const auto nodes = nodes_of(unordered);
  must(cu().cuGraphRemoveDependencies(unordered, &nodes[0], &nodes[1], nullptr, 1));
  Exec of_two(two);
  update("one edge less", of_two, unordered, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  must(cu().cuGraphDestroy(unordered));
}

TEST_F(GraphUpdate, RefusedForOtherTypesAndParameters) {
  DeviceMemory memory(64);
  PinnedMemory pinned(64);
  Recorded kernel_graph([&](CUstream s) { must(launch_store(s, memory, 1)); });
  Recorded fill([&](CUstream s) { must(cu().cuMemsetD32Async(memory, 1, 1, s)); });
  Recorded to_device(
      [&](CUstream s) { must(cu().cuMemcpyHtoDAsync(memory, pinned.data(), 64, s)); });
  Recorded to_host([&](CUstream s) { must(cu().cuMemcpyDtoHAsync(pinned.data(), memory, 64, s)); });
  Recorded increment([&](CUstream s) { must(launch_increment(s, memory)); });
  {
    Exec exec(kernel_graph);
    update("a fill for a kernel", exec, fill, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    update("another function", exec, increment, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  }
  {
    Exec exec(to_device);
    update("another direction", exec, to_host, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
  }
  Recorded smaller([&](CUstream s) { must(cu().cuMemcpyHtoDAsync(memory, pinned.data(), 32, s)); });
  Exec exec(to_device);
  CUgraphExecUpdateResultInfo info{};
  record("fewer bytes", cu().cuGraphExecUpdate(exec, smaller, &info));
  record("fewer bytes, why", name(info.result));
  Recorded wider([&](CUstream s) { must(cu().cuMemsetD32Async(memory, 1, 4, s)); });
  Exec of_fill(fill);
  record("a wider fill", cu().cuGraphExecUpdate(of_fill, wider, &info));
  record("a wider fill, why", name(info.result));
  expect("no result", cu().cuGraphExecUpdate(exec, smaller, nullptr), CUDA_SUCCESS);
}

// Which node of the one graph is taken for which of the other.
TEST_F(GraphUpdate, MatchesNodesByEdgesOrByOrder) {
  DeviceMemory memory(16);
  Stream stream;
  const auto add_fill = [&](CUgraph graph, CUdeviceptr to, unsigned value) {
    CUDA_MEMSET_NODE_PARAMS fill{to, 0, value, 4, 1, 1};
    CUgraphNode node = nullptr;
    must(cu().cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context()));
    return node;
  };
  const auto add_kernel = [&](CUgraph graph, CUdeviceptr to, std::uint32_t value) {
    KernelCall call(to, value);
    CUgraphNode node = nullptr;
    must(cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &call.parameters));
    return node;
  };
  CUgraph first = nullptr;
  CUgraph second = nullptr;
  CUgraph third = nullptr;
  must(cu().cuGraphCreate(&first, 0));
  must(cu().cuGraphCreate(&second, 0));
  must(cu().cuGraphCreate(&third, 0));
  add_kernel(first, memory, 1);
  add_fill(first, memory + 4, 1);
  add_fill(second, memory + 8, 2);
  add_kernel(second, memory + 12, 2);
  const CUgraphNode last = add_fill(third, memory + 8, 3);
  const CUgraphNode root = add_kernel(third, memory + 12, 3);
  must(cu().cuGraphAddDependencies(third, &root, &last, nullptr, 1));
  CUgraphExecUpdateResultInfo info{};
  {
    Exec exec(first);
    record("unordered nodes created the other way round",
           cu().cuGraphExecUpdate(exec, second, &info));
    record("why", name(info.result));
  }
  const auto nodes = nodes_of(first);
  must(cu().cuGraphAddDependencies(first, &nodes[0], &nodes[1], nullptr, 1));
  Exec ordered(first);
  record("ordered nodes created the other way round",
         cu().cuGraphExecUpdate(ordered, third, &info));
  record("ordered, why", name(info.result));
  for (const CUgraph graph : {first, second, third}) must(cu().cuGraphDestroy(graph));
}

TEST_F(GraphUpdate, OfChildren) {
  DeviceMemory memory(16);
  Stream stream;
  Recorded first_child([&](CUstream s) { must(launch_store(s, memory, 1)); });
  Recorded second_child([&](CUstream s) { must(launch_store(s, memory + 4, 2)); });
  const auto parent_of = [](CUgraph child) {
    CUgraph parent = nullptr;
    must(cu().cuGraphCreate(&parent, 0));
    CUgraphNode node = nullptr;
    must(cu().cuGraphAddChildGraphNode(&node, parent, nullptr, 0, child));
    return parent;
  };
  const CUgraph first = parent_of(first_child);
  const CUgraph second = parent_of(second_child);
  {
    Exec exec(first);
    update("update", exec, second, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    must(cu().cuGraphLaunch(exec, stream));
    stream.synchronize();
    expect_value("new", memory.word(1), 2U);
  }
  must(cu().cuGraphDestroy(first));
  must(cu().cuGraphDestroy(second));
}

}  // namespace
}  // namespace loci::cuda_rules
