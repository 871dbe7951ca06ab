// Conditional nodes. The kernel that sets a condition needs the device runtime, which the toolkit
// has as a library: the program has a copy in it where the toolkit was there at build time.
#include <cstring>

#include "capture.h"
#include "device_runtime.h"
#include "kernels.h"

namespace loci::cuda_rules {
namespace {

class Conditional : public DriverTest {
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

  CUgraphConditionalHandle handle_with(unsigned value,
                                       unsigned flags = CU_GRAPH_COND_ASSIGN_DEFAULT) {
    CUgraphConditionalHandle handle = 0;
    must(cu().cuGraphConditionalHandleCreate(&handle, graph, context(), value, flags));
    return handle;
  }

  CUresult add(CUgraphConditionalHandle handle, CUgraphConditionalNodeType type, unsigned size) {
    CUgraphNodeParams parameters{};
    parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    parameters.conditional.handle = handle;
    parameters.conditional.type = type;
    parameters.conditional.size = size;
    parameters.conditional.ctx = context();
    const CUresult code = cu().cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters);
    bodies.clear();
    if (code == CUDA_SUCCESS)
      bodies.assign(parameters.conditional.phGraph_out, parameters.conditional.phGraph_out + size);
    return code;
  }

  void put_store(CUgraph body, CUdeviceptr address, std::uint32_t value) {
    void* arguments[] = {&address, &value};
    CUDA_KERNEL_NODE_PARAMS parameters{};
    parameters.func = kernel("store");
    parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = arguments;
    CUgraphNode added = nullptr;
    must(cu().cuGraphAddKernelNode(&added, body, nullptr, 0, &parameters));
  }

  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  std::vector<CUgraph> bodies;
};

class ConditionalFresh : public Conditional {};

TEST_F(Conditional, IfRunsItsBodyByTheValue) {
  for (const unsigned value : {0U, 1U, 5U}) {
    must(cu().cuGraphDestroy(graph));
    must(cu().cuGraphCreate(&graph, 0));
    DeviceMemory memory(4);
    Stream stream;
    expect("add", add(handle_with(value), CU_GRAPH_COND_TYPE_IF, 1), CUDA_SUCCESS);
    put_store(bodies[0], memory, 3);
    run_once(graph, stream);
    expect_value("stored for " + std::to_string(value), memory.word(), value != 0 ? 3U : 0U);
  }
}

TEST_F(Conditional, IfWithElse) {
  for (const unsigned value : {0U, 1U}) {
    must(cu().cuGraphDestroy(graph));
    must(cu().cuGraphCreate(&graph, 0));
    DeviceMemory memory(4);
    Stream stream;
    must(add(handle_with(value), CU_GRAPH_COND_TYPE_IF, 2));
    put_store(bodies[0], memory, 3);
    put_store(bodies[1], memory, 4);
    run_once(graph, stream);
    expect_value("stored for " + std::to_string(value), memory.word(), value != 0 ? 3U : 4U);
  }
}

TEST_F(Conditional, SwitchTakesOneBody) {
  for (const unsigned value : {0U, 1U, 2U, 3U, 99U}) {
    must(cu().cuGraphDestroy(graph));
    must(cu().cuGraphCreate(&graph, 0));
    DeviceMemory memory(4);
    Stream stream;
    must(add(handle_with(value), CU_GRAPH_COND_TYPE_SWITCH, 3));
    for (std::uint32_t i = 0; i < 3; ++i) put_store(bodies[i], memory, 10 + i);
    run_once(graph, stream);
    expect_value("stored for " + std::to_string(value), memory.word(), value < 3 ? 10 + value : 0U);
  }
}

TEST_F(Conditional, WhileOf0RunsNotAtAll) {
  DeviceMemory memory(4);
  Stream stream;
  must(add(handle_with(0), CU_GRAPH_COND_TYPE_WHILE, 1));
  put_store(bodies[0], memory, 3);
  run_once(graph, stream);
  expect_value("stored", memory.word(), 0U);
}

CUmodule link_loop_kernel(std::string& log) {
  char errors[8192] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {errors, reinterpret_cast<void*>(sizeof errors)};
  CUlinkState link = nullptr;
  must(cu().cuLinkCreate(2, options, values, &link));
  CUresult code = cu().cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kLoopKernel),
                                     std::strlen(kLoopKernel) + 1, "loop", 0, nullptr, nullptr);
  if (code == CUDA_SUCCESS) {
    const auto runtime = device_runtime();
    code = cu().cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, const_cast<char*>(runtime.data()),
                              runtime.size(), "cudadevrt", 0, nullptr, nullptr);
  }
  void* image = nullptr;
  std::size_t bytes = 0;
  if (code == CUDA_SUCCESS) code = cu().cuLinkComplete(link, &image, &bytes);
  CUmodule module = nullptr;
  if (code == CUDA_SUCCESS) code = cu().cuModuleLoadData(&module, image);
  log = name_of(code) + " " + errors;
  must(cu().cuLinkDestroy(link));
  return module;
}

TEST_F(Conditional, WhileRunsUntilItsBodySets0) {
  if (device_runtime().empty()) GTEST_SKIP() << "built without the toolkit's cudadevrt";
  std::string log;
  const CUmodule module = link_loop_kernel(log);
  record("linking", log);
  ASSERT_NE(module, nullptr);
  CUfunction loop = nullptr;
  must(cu().cuModuleGetFunction(&loop, module, "loop"));
  DeviceMemory memory(8);
  Stream stream;
  CUgraphConditionalHandle handle = handle_with(1);
  must(add(handle, CU_GRAPH_COND_TYPE_WHILE, 1));
  CUdeviceptr address = memory;
  void* arguments[] = {&address, &handle};
  CUDA_KERNEL_NODE_PARAMS parameters{};
  parameters.func = loop;
  parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = arguments;
  CUgraphNode added = nullptr;
  must(cu().cuGraphAddKernelNode(&added, bodies[0], nullptr, 0, &parameters));
  CUdeviceptr count = memory + 4;
  void* increment[] = {&count};
  parameters.func = kernel("increment");
  parameters.kernelParams = increment;
  CUgraphNode counting = nullptr;
  must(cu().cuGraphAddKernelNode(&counting, bodies[0], &added, 1, &parameters));
  must(cu().cuMemsetD32(memory, 7, 1));
  must(cu().cuCtxSynchronize());
  run_once(graph, stream);
  expect_value("left", memory.word(0), 0U);
  expect_value("times", memory.word(1), 7U);
}

TEST_F(Conditional, TheDeviceFunctionWithoutTheDeviceRuntime) {
  CUmodule module = nullptr;
  record("load", cu().cuModuleLoadData(&module, kLoopKernel));
}

TEST_F(Conditional, BodiesCanBeCaptured) {
  DeviceMemory memory(4);
  Stream stream;
  must(add(handle_with(1), CU_GRAPH_COND_TYPE_IF, 1));
  expect("begin",
         cu().cuStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0,
                                          CU_STREAM_CAPTURE_MODE_RELAXED),
         CUDA_SUCCESS);
  must(launch_store(stream, memory, 6));
  CUgraph ended = nullptr;
  expect("end", cu().cuStreamEndCapture(stream, &ended), CUDA_SUCCESS);
  EXPECT_EQ(ended, bodies[0]);
  run_once(graph, stream);
  expect_value("stored", memory.word(), 6U);
}

TEST_F(Conditional, KindsOfNodesInBodies) {
  DeviceMemory memory(64);
  PinnedMemory pinned(64);
  Event event;
  must(add(handle_with(1), CU_GRAPH_COND_TYPE_IF, 1));
  const CUgraph body = bodies[0];
  CUgraphNode added = nullptr;
  CUDA_HOST_NODE_PARAMS host{[](void*) {}, nullptr};
  record("host", cu().cuGraphAddHostNode(&added, body, nullptr, 0, &host));
  record("event record", cu().cuGraphAddEventRecordNode(&added, body, nullptr, 0, event));
  record("event wait", cu().cuGraphAddEventWaitNode(&added, body, nullptr, 0, event));
  CUDA_MEMSET_NODE_PARAMS fill{memory, 0, 1, 4, 4, 1};
  record("fill", cu().cuGraphAddMemsetNode(&added, body, nullptr, 0, &fill, context()));
  record("empty", cu().cuGraphAddEmptyNode(&added, body, nullptr, 0));
  const auto types = node_types(body);
  record("body", types);
  CUgraphExec exec = nullptr;
  const CUresult code = cu().cuGraphInstantiate(&exec, graph, 0);
  record("instantiate", code);
  if (code == CUDA_SUCCESS) must(cu().cuGraphExecDestroy(exec));
}

TEST_F(Conditional, CopiesInBodies) {
  DeviceMemory memory(64);
  PinnedMemory pinned(64);
  must(add(handle_with(1), CU_GRAPH_COND_TYPE_IF, 1));
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = memory;
  copy.dstDevice = memory + 32;
  copy.WidthInBytes = 16;
  copy.Height = copy.Depth = 1;
  CUgraphNode added = nullptr;
  expect("on the device",
         cu().cuGraphAddMemcpyNode(&added, bodies[0], nullptr, 0, &copy, context()), CUDA_SUCCESS);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = pinned.data();
  record("from the host",
         cu().cuGraphAddMemcpyNode(&added, bodies[0], nullptr, 0, &copy, context()));
  CUgraphExec exec = nullptr;
  const CUresult code = cu().cuGraphInstantiate(&exec, graph, 0);
  record("instantiate", code);
  if (code == CUDA_SUCCESS) must(cu().cuGraphExecDestroy(exec));
}

TEST_F(Conditional, Handles) {
  CUgraphConditionalHandle handle = 0;
  expect("null graph", cu().cuGraphConditionalHandleCreate(&handle, nullptr, context(), 0, 0),
         CUDA_ERROR_INVALID_VALUE);
  record("unknown flags", cu().cuGraphConditionalHandleCreate(&handle, graph, context(), 0, 8));
  handle = handle_with(1);
  expect("use", add(handle, CU_GRAPH_COND_TYPE_IF, 1), CUDA_SUCCESS);
  record("use twice", add(handle, CU_GRAPH_COND_TYPE_IF, 1));
  record("while of two bodies", add(handle_with(0), CU_GRAPH_COND_TYPE_WHILE, 2));
  record("if of three bodies", add(handle_with(0), CU_GRAPH_COND_TYPE_IF, 3));
  record("switch of none", add(handle_with(0), CU_GRAPH_COND_TYPE_SWITCH, 0));
  record("unknown type", add(handle_with(0), static_cast<CUgraphConditionalNodeType>(9), 1));
}

TEST_F(ConditionalFresh, UnknownHandle) { record("add", add(12345, CU_GRAPH_COND_TYPE_IF, 1)); }

TEST_F(ConditionalFresh, BodyDestroyed) {
  must(add(handle_with(1), CU_GRAPH_COND_TYPE_IF, 1));
  record("destroy", cu().cuGraphDestroy(bodies[0]));
}

TEST_F(Conditional, UnusedHandleAtInstantiation) {
  handle_with(1);
  CUgraphExec exec = nullptr;
  const CUresult code = cu().cuGraphInstantiate(&exec, graph, 0);
  record("instantiate", code);
  if (code == CUDA_SUCCESS) must(cu().cuGraphExecDestroy(exec));
}

TEST_F(Conditional, RestrictTheGraph) {
  must(add(handle_with(1), CU_GRAPH_COND_TYPE_IF, 1));
  CUgraph clone = nullptr;
  record("clone", cu().cuGraphClone(&clone, graph));
  if (clone != nullptr) must(cu().cuGraphDestroy(clone));
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  CUgraphExec second = nullptr;
  record("instantiate twice", cu().cuGraphInstantiate(&second, graph, 0));
  if (second != nullptr) must(cu().cuGraphExecDestroy(second));
  must(cu().cuGraphExecDestroy(exec));
  CUgraph parent = nullptr;
  must(cu().cuGraphCreate(&parent, 0));
  CUgraphNode child = nullptr;
  record("as a child", cu().cuGraphAddChildGraphNode(&child, parent, nullptr, 0, graph));
  must(cu().cuGraphDestroy(parent));
  record("destroy the node", cu().cuGraphDestroyNode(node));
}

TEST_F(Conditional, UpdateTakesOtherDefaultValues) {
  DeviceMemory memory(4);
  Stream stream;
  must(add(handle_with(0), CU_GRAPH_COND_TYPE_IF, 1));
  put_store(bodies[0], memory, 2);
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  const CUgraph first = graph;
  must(cu().cuGraphCreate(&graph, 0));
  must(add(handle_with(1), CU_GRAPH_COND_TYPE_IF, 1));
  put_store(bodies[0], memory, 5);
  CUgraphExecUpdateResultInfo info{};
  record("update", cu().cuGraphExecUpdate(exec, graph, &info));
  record("why", static_cast<int>(info.result));
  must(cu().cuGraphLaunch(exec, stream));
  stream.synchronize();
  record("stored", memory.word());
  must(cu().cuGraphExecDestroy(exec));
  must(cu().cuGraphDestroy(first));
}

TEST_F(Conditional, ValueWithoutADefaultIsKeptBetweenLaunches) {
  DeviceMemory memory(4);
  Stream stream;
  must(add(handle_with(1, 0), CU_GRAPH_COND_TYPE_IF, 1));
  put_store(bodies[0], memory, 2);
  run_once(graph, stream);
  record("stored", memory.word());
}

}  // namespace
}  // namespace loci::cuda_rules
