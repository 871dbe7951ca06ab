// Attributes of launches: each is honoured, or refused by its name.
#include "double_fixture.h"
#include "kernels.h"

namespace loci::cuda_rules {
namespace {

// store(address, value), which waits for the kernel before it first.
constexpr const char* kWaitingStore = R"(.version 7.8
.target sm_90
.address_size 64
.visible .entry store(.param .u64 address, .param .u32 value) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [address];
  ld.param.u32 %r1, [value];
  griddepcontrol.launch_dependents;
  griddepcontrol.wait;
  cvta.to.global.u64 %rd2, %rd1;
  st.global.u32 [%rd2], %r1;
  ret;
}
)";

CUresult store(CUfunction function, CUstream stream, CUdeviceptr address,
               std::vector<CUlaunchAttribute> attributes) {
  std::uint32_t value = 5;
  void* parameters[] = {&address, &value};
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  return cu().cuLaunchKernelEx(&config, function, parameters, nullptr);
}

CUfunction waiting_store() {
  CUmodule module = nullptr;
  must(cu().cuModuleLoadData(&module, kWaitingStore));
  CUfunction function = nullptr;
  must(cu().cuModuleGetFunction(&function, module, "store"));
  return function;
}

CUlaunchAttribute attribute(int id) {
  CUlaunchAttribute made{};
  made.id = static_cast<CUlaunchAttributeID>(id);
  return made;
}

CUlaunchAttribute overlap() {
  auto made = attribute(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  made.value.programmaticStreamSerializationAllowed = 1;
  return made;
}

CUlaunchAttribute completion(CUevent event) {
  auto made = attribute(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
  made.value.launchCompletionEvent.event = event;
  return made;
}

CUlaunchAttribute programmatic(CUevent event) {
  auto made = attribute(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT);
  made.value.programmaticEvent.event = event;
  return made;
}

// Returns what the double says of a launch that it refuses; empty if it does not.
std::string refusal(CUresult code, const CUlaunchAttribute& made) {
  Stream stream;
  DeviceMemory memory(4);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(store(kernel("store"), stream, memory, {made}), code);
  return ::testing::internal::GetCapturedStderr();
}

class LaunchAttributesFresh : public DoubleFresh {};

TEST_F(LaunchAttributesFresh, WhatIsNotThereIsRefusedByItsName) {
  start("log=errors");
  kernel("store");
  const auto expect_refusal = [](CUresult code, const CUlaunchAttribute& made,
                                 const std::string& text) {
    EXPECT_NE(refusal(code, made).find(text), std::string::npos) << text;
  };
  auto window = attribute(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
  window.value.accessPolicyWindow.num_bytes = 4096;
  expect_refusal(CUDA_ERROR_NOT_SUPPORTED, window,
                 "CUDA_ERROR_NOT_SUPPORTED: CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: the device "
                 "has no such windows");
  auto cluster = attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  cluster.value.clusterDim = {2, 1, 1};
  expect_refusal(CUDA_ERROR_INVALID_CLUSTER_SIZE, cluster,
                 "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: clusters do not divide the grid");
  auto spread = attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
  spread.value.clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD;
  expect_refusal(CUDA_ERROR_NOT_SUPPORTED, spread,
                 "CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: the double has no "
                 "clusters");
  auto remote = attribute(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN);
  remote.value.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
  expect_refusal(CUDA_ERROR_NOT_SUPPORTED, remote,
                 "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: the device has one domain");
  auto map = attribute(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP);
  map.value.memSyncDomainMap = {0, 1};
  expect_refusal(CUDA_ERROR_NOT_SUPPORTED, map,
                 "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: the device has one domain");
  auto carveout = attribute(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  carveout.value.sharedMemCarveout = 101;
  expect_refusal(
      CUDA_ERROR_INVALID_VALUE, carveout,
      "CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: a carveout is a percentage");
  expect_refusal(CUDA_ERROR_NOT_SUPPORTED,
                 attribute(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION),
                 "CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION: the double has no clusters");
  expect_refusal(CUDA_ERROR_NOT_SUPPORTED,
                 attribute(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE),
                 "CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE: the double has no updates");
  expect_refusal(CUDA_ERROR_NOT_SUPPORTED, attribute(16),
                 "CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING: the double has no NVLink");
  expect_refusal(CUDA_ERROR_INVALID_VALUE, attribute(CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY),
                 "CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY: it is one of streams, not of");
  expect_refusal(CUDA_ERROR_INVALID_VALUE, attribute(77),
                 "launch attribute 77: there is no such launch attribute");
}

TEST_F(LaunchAttributesFresh, WhatChangesNothingHereIsTaken) {
  start("");
  Stream stream;
  DeviceMemory memory(4);
  auto cluster = attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  cluster.value.clusterDim = {1, 1, 1};
  auto priority = attribute(CU_LAUNCH_ATTRIBUTE_PRIORITY);
  priority.value.priority = -3;
  auto carveout = attribute(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  carveout.value.sharedMemCarveout = 50;
  EXPECT_EQ(
      store(kernel("store"), stream, memory,
            {attribute(CU_LAUNCH_ATTRIBUTE_IGNORE),
             attribute(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW),
             attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE),
             attribute(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN),
             attribute(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP), cluster, priority, carveout}),
      CUDA_SUCCESS);
  stream.synchronize();
  EXPECT_EQ(memory.word(), 5u);
}

TEST_F(LaunchAttributesFresh, AKernelThatOverlapsAndDoesNotWaitIsARace) {
  start("");
  Stream stream;
  DeviceMemory memory(8);
  must(store(kernel("store"), stream, memory, {}));
  must(store(kernel("store"), stream, memory + 4, {overlap()}));
  must(cu().cuCtxSynchronize());
  EXPECT_EQ(finding_count(), 0u) << finding(0);  // of other bytes
  must(store(kernel("store"), stream, memory, {}));
  must(store(kernel("store"), stream, memory, {overlap()}));
  must(cu().cuCtxSynchronize());
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_EQ(finding(0).find("race: cuLaunchKernelEx #4 store at PTX line"), 0u) << finding(0);
}

TEST_F(LaunchAttributesFresh, WhatComesBehindAKernelThatOverlapsIsBehindBoth) {
  start("");
  Stream stream;
  DeviceMemory memory(8);
  must(store(kernel("store"), stream, memory, {}));
  must(store(kernel("store"), stream, memory + 4, {overlap()}));
  must(store(kernel("store"), stream, memory, {}));
  must(store(kernel("store"), stream, memory + 4, {}));
  must(cu().cuMemsetD32Async(memory, 1, 2, stream));
  must(store(kernel("store"), stream, memory, {overlap()}));  // behind a fill, not a kernel
  stream.synchronize();
  EXPECT_EQ(finding_count(), 0u) << finding(0);
  EXPECT_EQ(memory.word(), 5u);
}

TEST_F(LaunchAttributesFresh, ARowOfKernelsThatOverlapIsUnordered) {
  start("");
  Stream stream;
  DeviceMemory memory(8);
  must(store(kernel("store"), stream, memory, {}));
  must(store(kernel("store"), stream, memory + 4, {overlap()}));
  must(store(kernel("store"), stream, memory, {overlap()}));  // the first may be under way still
  must(cu().cuCtxSynchronize());
  EXPECT_EQ(finding_count(), 1u);
}

TEST_F(LaunchAttributesFresh, AKernelThatWaitsIsOrdered) {
  start("");
  const CUfunction function = waiting_store();
  Stream stream;
  DeviceMemory memory(4);
  for (int i = 0; i < 3; ++i) must(store(function, stream, memory, {overlap()}));
  stream.synchronize();
  EXPECT_EQ(finding_count(), 0u) << finding(0);
  EXPECT_EQ(memory.word(), 5u);
}

TEST_F(LaunchAttributesFresh, AnEventOfALaunchsBeginningOrdersNothing) {
  start("");
  Stream stream;
  Stream other;
  Event begun(CU_EVENT_DISABLE_TIMING);
  DeviceMemory memory(4);
  must(store(kernel("store"), stream, memory, {completion(begun)}));
  must(cu().cuStreamWaitEvent(other, begun, 0));
  must(cu().cuMemsetD32Async(memory, 1, 1, other));
  must(cu().cuCtxSynchronize());
  EXPECT_EQ(cu().cuEventQuery(begun), CUDA_SUCCESS);
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_EQ(finding(0).find("race: "), 0u) << finding(0);
}

TEST_F(LaunchAttributesFresh, AProgrammaticEventComesWithTheLaunchsEnd) {
  start("");
  Stream stream;
  Stream other;
  Event triggered(CU_EVENT_DISABLE_TIMING);
  DeviceMemory memory(4);
  must(store(kernel("store"), stream, memory, {programmatic(triggered)}));
  must(cu().cuStreamWaitEvent(other, triggered, 0));
  must(cu().cuMemsetD32Async(memory, 1, 1, other));
  must(cu().cuCtxSynchronize());
  EXPECT_EQ(finding_count(), 0u) << finding(0);
  EXPECT_EQ(memory.word(), 1u);
}

TEST_F(LaunchAttributesFresh, EventsOfLaunchesAreChecked) {
  start("log=errors");
  kernel("store");
  Event with_timing;
  EXPECT_NE(refusal(CUDA_ERROR_INVALID_VALUE, completion(with_timing))
                .find("CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT: the event has timing"),
            std::string::npos);
  Event without(CU_EVENT_DISABLE_TIMING);
  auto external = programmatic(without);
  external.value.programmaticEvent.flags = CU_EVENT_RECORD_EXTERNAL;
  EXPECT_NE(refusal(CUDA_ERROR_INVALID_VALUE, external)
                .find("CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT: there are no such flags"),
            std::string::npos);
}

// The graph of kernels that store at these addresses one after the other, all but the first
// overlapping; launched, and waited for.
void run_graph_of_overlapping(CUfunction function, const std::vector<CUdeviceptr>& addresses) {
  Stream stream;
  must(cu().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  for (const CUdeviceptr address : addresses) {
    must(store(function, stream, address, {overlap()}));
  }
  must(cu().cuMemsetD32Async(addresses[0], 1, 1, stream));
  CUgraph graph = nullptr;
  must(cu().cuStreamEndCapture(stream, &graph));
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  must(cu().cuGraphLaunch(exec, stream));
  stream.synchronize();
}

TEST_F(LaunchAttributesFresh, NodesOfAGraphOverlapAsWell) {
  start("");
  kernel("store");
  DeviceMemory memory(8);
  run_graph_of_overlapping(kernel("store"), {memory, memory + 4});
  EXPECT_EQ(finding_count(), 0u) << finding(0);
  EXPECT_EQ(memory.word(), 1u);
  run_graph_of_overlapping(kernel("store"), {memory, memory});
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_EQ(finding(0).find("race: cuLaunchKernelEx #4 store at PTX line"), 0u) << finding(0);
}

TEST_F(LaunchAttributesFresh, NodesOfAGraphThatOverlapInARowAreUnordered) {
  start("");
  kernel("store");
  DeviceMemory memory(8);
  run_graph_of_overlapping(kernel("store"), {memory, memory + 4, memory});
  EXPECT_EQ(finding_count(), 1u);
}

TEST_F(LaunchAttributesFresh, NodesOfAGraphThatWaitAreOrdered) {
  start("");
  const CUfunction function = waiting_store();
  DeviceMemory memory(4);
  run_graph_of_overlapping(function, {memory, memory, memory});
  EXPECT_EQ(finding_count(), 0u) << finding(0);
}

TEST_F(LaunchAttributesFresh, EventsOfACaptureWouldMakeEdgesThatAreNotThere) {
  start("log=errors");
  kernel("store");
  Event event(CU_EVENT_DISABLE_TIMING);
  for (const auto& made : {completion(event), programmatic(event)}) {
    Stream stream;
    DeviceMemory memory(4);
    must(cu().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(store(kernel("store"), stream, memory, {made}), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_NE(::testing::internal::GetCapturedStderr().find(
                  ": the graphs of the double have plain edges alone"),
              std::string::npos);
    CUgraph graph = nullptr;
    EXPECT_EQ(cu().cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
}

}  // namespace
}  // namespace loci::cuda_rules
