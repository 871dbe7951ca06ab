// Nodes of each kind, and their parameters.
#include "capture.h"

namespace loci::cuda_rules {
namespace {

class GraphNode : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    must(cu().cuGraphCreate(&graph, 0));
  }
  void TearDown() override {
    if (graph != nullptr) cu().cuGraphDestroy(graph);
    DriverTest::TearDown();
  }

  CUgraph graph = nullptr;
};

class GraphNodeFresh : public GraphNode {};

CUDA_MEMSET_NODE_PARAMS fill_of(CUdeviceptr address, unsigned value, unsigned element,
                                std::size_t width, std::size_t height = 1, std::size_t pitch = 0) {
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = address;
  fill.value = value;
  fill.elementSize = element;
  fill.width = width;
  fill.height = height;
  fill.pitch = pitch;
  return fill;
}

CUDA_MEMCPY3D copy_of(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.dstDevice = to;
  copy.WidthInBytes = bytes;
  copy.Height = copy.Depth = 1;
  return copy;
}

TEST_F(GraphNode, Kernel) {
  DeviceMemory memory(4);
  CUdeviceptr address = memory;
  std::uint32_t value = 7;
  void* arguments[] = {&address, &value};
  CUDA_KERNEL_NODE_PARAMS parameters{};
  parameters.func = kernel("store");
  parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = arguments;
  CUgraphNode node = nullptr;
  expect("add", cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &parameters), CUDA_SUCCESS);
  value = 8;  // the node has a copy
  CUDA_KERNEL_NODE_PARAMS read{};
  expect("get", cu().cuGraphKernelNodeGetParams(node, &read), CUDA_SUCCESS);
  expect_value("function", read.func == parameters.func, true);
  record("kern is null", read.kern == nullptr);
  record("ctx is null", read.ctx == nullptr);
  record("extra is null", read.extra == nullptr);
  ASSERT_NE(read.kernelParams, nullptr);
  expect_value("argument 1", *static_cast<std::uint32_t*>(read.kernelParams[1]), 7U);
  value = 9;
  expect("set", cu().cuGraphKernelNodeSetParams(node, &parameters), CUDA_SUCCESS);
  Stream stream;
  run_once(graph, stream);
  expect_value("stored", memory.word(), 9U);
  parameters.blockDimX = 2000;
  record("add one with too many threads",
         cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
  parameters.blockDimX = 0;
  record("add one with no threads",
         cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
  parameters.blockDimX = 1;
  parameters.kernelParams = nullptr;
  expect("add one without arguments",
         cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &parameters),
         CUDA_ERROR_INVALID_VALUE);
  parameters.func = nullptr;
  expect_one_of("add one without a function",
                cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &parameters),
                {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE});
}

TEST_F(GraphNode, Fill) {
  DeviceMemory memory(64);
  auto fill = fill_of(memory, 0x1234, 2, 5, 2, 16);
  CUgraphNode node = nullptr;
  expect("add", cu().cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context()),
         CUDA_SUCCESS);
  CUDA_MEMSET_NODE_PARAMS read{};
  expect("get", cu().cuGraphMemsetNodeGetParams(node, &read), CUDA_SUCCESS);
  expect_value("value", read.value, 0x1234U);
  expect_value("element", read.elementSize, 2U);
  expect_value("width", read.width, 5);
  expect_value("pitch", read.pitch, 16);
  Stream stream;
  run_once(graph, stream);
  expect_value("first row", memory.word(2), 0x1234U);
  expect_value("second row", memory.word(4), 0x12341234U);
  fill = fill_of(memory, 1, 3, 1);
  expect("element of 3", cu().cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context()),
         CUDA_ERROR_INVALID_VALUE);
  fill = fill_of(memory, 0x123, 1, 1);
  record("value wider than the element",
         cu().cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context()));
  fill = fill_of(0, 1, 1, 1);
  record("to null", cu().cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context()));
  fill = fill_of(memory, 1, 1, 1000);
  record("beyond the end", cu().cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context()));
  fill = fill_of(memory + 1, 1, 4, 1);
  record("misaligned", cu().cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context()));
}

TEST_F(GraphNode, Copy) {
  DeviceMemory from(64);
  DeviceMemory to(64);
  must(cu().cuMemsetD8(from, 5, 64));
  must(cu().cuCtxSynchronize());  // the fill need not be done when the call returns
  auto copy = copy_of(to, from, 64);
  CUgraphNode node = nullptr;
  expect("add", cu().cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context()),
         CUDA_SUCCESS);
  CUDA_MEMCPY3D read{};
  expect("get", cu().cuGraphMemcpyNodeGetParams(node, &read), CUDA_SUCCESS);
  expect_value("bytes", read.WidthInBytes, 64);
  expect_value("source", read.srcDevice == from, true);
  record("source type", static_cast<int>(read.srcMemoryType));
  record("pitch", read.srcPitch);
  Stream stream;
  run_once(graph, stream);
  expect_value("last byte", to.byte(63), 5);
  copy = copy_of(to, 0, 64);
  record("from null", cu().cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context()));
  copy = copy_of(to, from, 1000);
  record("beyond the end", cu().cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context()));
  copy = copy_of(to, from, 64);
  copy.Height = 0;
  record("no height", cu().cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context()));
}

TEST_F(GraphNode, Host) {
  int calls = 0;
  CUDA_HOST_NODE_PARAMS host{[](void* data) { ++*static_cast<int*>(data); }, &calls};
  CUgraphNode node = nullptr;
  expect("add", cu().cuGraphAddHostNode(&node, graph, nullptr, 0, &host), CUDA_SUCCESS);
  CUDA_HOST_NODE_PARAMS read{};
  expect("get", cu().cuGraphHostNodeGetParams(node, &read), CUDA_SUCCESS);
  expect_value("data", read.userData == &calls, true);
  Stream stream;
  run_once(graph, stream);
  expect_value("calls", calls, 1);
  host.fn = nullptr;
  expect("null function", cu().cuGraphAddHostNode(&node, graph, nullptr, 0, &host),
         CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphNode, Events) {
  Event event;
  Event other;
  CUgraphNode recorded = nullptr;
  CUgraphNode waited = nullptr;
  expect("add record", cu().cuGraphAddEventRecordNode(&recorded, graph, nullptr, 0, event),
         CUDA_SUCCESS);
  expect("add wait", cu().cuGraphAddEventWaitNode(&waited, graph, &recorded, 1, other),
         CUDA_SUCCESS);
  CUevent read = nullptr;
  expect("get record", cu().cuGraphEventRecordNodeGetEvent(recorded, &read), CUDA_SUCCESS);
  EXPECT_EQ(read, static_cast<CUevent>(event));
  expect("get wait", cu().cuGraphEventWaitNodeGetEvent(waited, &read), CUDA_SUCCESS);
  EXPECT_EQ(read, static_cast<CUevent>(other));
  Stream stream;
  Stream held;
  Gate gate;
  gate.close(held);
  must(cu().cuEventRecord(other, held));
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  must(cu().cuGraphLaunch(exec, stream));
  expect("waits for the event", cu().cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  gate.open();
  stream.synchronize();
  expect("recorded", cu().cuEventQuery(event), CUDA_SUCCESS);
  expect("another event", cu().cuGraphExecEventRecordNodeSetEvent(exec, recorded, other),
         CUDA_SUCCESS);
  must(cu().cuGraphExecDestroy(exec));
  held.synchronize();
}

TEST_F(GraphNode, Child) {
  DeviceMemory memory(4);
  const CUgraph child = graph_of_store(memory, 5);
  CUgraphNode node = nullptr;
  expect("add", cu().cuGraphAddChildGraphNode(&node, graph, nullptr, 0, child), CUDA_SUCCESS);
  CUgraph inside = nullptr;
  expect("get", cu().cuGraphChildGraphNodeGetGraph(node, &inside), CUDA_SUCCESS);
  expect_value("is a copy", inside != child, true);
  must(cu().cuGraphDestroy(child));
  Stream stream;
  run_once(graph, stream);
  expect_value("stored", memory.word(), 5U);
}

TEST_F(GraphNodeFresh, ChildThatIsTakenApart) {
  DeviceMemory memory(4);
  const CUgraph child = graph_of_store(memory, 5);
  CUgraphNode node = nullptr;
  must(cu().cuGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
  CUgraph inside = nullptr;
  must(cu().cuGraphChildGraphNodeGetGraph(node, &inside));
  CUgraphNode added = nullptr;
  record("add a node inside", cu().cuGraphAddEmptyNode(&added, inside, nullptr, 0));

  record("destroy what is inside", cu().cuGraphDestroy(inside));
}

TEST_F(GraphNode, OfAnyKindByOneFunction) {
  DeviceMemory memory(4);
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_KERNEL;
  CUdeviceptr address = memory;
  std::uint32_t value = 2;
  void* arguments[] = {&address, &value};
  parameters.kernel.func = kernel("store");
  parameters.kernel.gridDimX = parameters.kernel.gridDimY = parameters.kernel.gridDimZ = 1;
  parameters.kernel.blockDimX = parameters.kernel.blockDimY = parameters.kernel.blockDimZ = 1;
  parameters.kernel.kernelParams = arguments;
  CUgraphNode node = nullptr;
  expect("kernel", cu().cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters),
         CUDA_SUCCESS);
  CUgraphNodeParams fill{};
  fill.type = CU_GRAPH_NODE_TYPE_MEMSET;
  fill.memset.dst = memory;
  fill.memset.value = 1;
  fill.memset.elementSize = 4;
  fill.memset.width = 1;
  fill.memset.height = 1;
  fill.memset.ctx = context();
  CUgraphNode second = nullptr;
  expect("fill behind it", cu().cuGraphAddNode(&second, graph, &node, nullptr, 1, &fill),
         CUDA_SUCCESS);
  Stream stream;
  run_once(graph, stream);
  expect_value("stored", memory.word(), 1U);
  CUgraphNodeParams unknown{};
  unknown.type = static_cast<CUgraphNodeType>(99);
  expect("unknown type", cu().cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &unknown),
         CUDA_ERROR_INVALID_VALUE);
  CUgraphNodeParams empty{};
  empty.type = CU_GRAPH_NODE_TYPE_EMPTY;
  expect("empty", cu().cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &empty), CUDA_SUCCESS);
}

TEST_F(GraphNode, ParametersOfAnotherKind) {
  CUgraphNode node = nullptr;
  must(cu().cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  CUDA_KERNEL_NODE_PARAMS kernel_parameters{};
  record("kernel of an empty node", cu().cuGraphKernelNodeGetParams(node, &kernel_parameters));
  CUDA_MEMSET_NODE_PARAMS fill{};
  record("fill of an empty node", cu().cuGraphMemsetNodeGetParams(node, &fill));
  CUgraph inside = nullptr;
  record("child of an empty node", cu().cuGraphChildGraphNodeGetGraph(node, &inside));
}

TEST_F(GraphNode, AllocationNodesRestrictTheGraph) {
  CUgraphNodeParams allocation{};
  allocation.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  allocation.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  allocation.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  allocation.alloc.bytesize = 4096;
  CUgraphNode node = nullptr;
  record("add", cu().cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &allocation));
  record("address", allocation.alloc.dptr != 0);
  if (node == nullptr) return;
  record("destroy the node", cu().cuGraphDestroyNode(node));
}

}  // namespace
}  // namespace loci::cuda_rules
