// Two devices: what each may do with the other's memory, streams, events and functions.
#include "double_fixture.h"
#include "kernels.h"

namespace loci::cuda_rules {
namespace {

constexpr std::size_t kBytes = 4096;

class PeersFresh : public DoubleFresh {
 protected:
  void SetUp() override {
    DoubleFresh::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    start("devices=2");
    must(cu().cuCtxGetCurrent(&first_));
    must(cu().cuDevicePrimaryCtxRetain(&second_, 1));
  }

  static void enter(CUcontext context) { must(cu().cuCtxSetCurrent(context)); }
  // Zeroed memory of the context's device, freed when the process ends.
  static CUdeviceptr memory_of(CUcontext context) {
    enter(context);
    CUdeviceptr address = 0;
    must(cu().cuMemAlloc(&address, kBytes));
    must(cu().cuMemsetD8(address, 0, kBytes));
    must(cu().cuCtxSynchronize());
    return address;
  }
  // The kernel in a module of the context's own.
  static CUfunction store_of(CUcontext context) {
    enter(context);
    CUmodule module = nullptr;
    must(cu().cuModuleLoadData(&module, kKernels));
    CUfunction function = nullptr;
    must(cu().cuModuleGetFunction(&function, module, "store"));
    return function;
  }
  static CUresult store(CUfunction function, CUstream stream, CUdeviceptr address,
                        std::uint32_t value) {
    void* parameters[] = {&address, &value};
    return cu().cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
  }
  static std::uint32_t word(CUdeviceptr address) {
    std::uint32_t value = 0;
    must(cu().cuMemcpyDtoH(&value, address, sizeof value));
    return value;
  }
  // Two slices of three rows of two words, from the second row on and the third word of 16.
  static CUDA_MEMCPY3D_PEER box_of(CUdeviceptr from, CUcontext from_context, CUdeviceptr to,
                                   CUcontext to_context) {
    CUDA_MEMCPY3D_PEER box{};
    box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    box.srcDevice = from;
    box.srcContext = from_context;
    box.dstDevice = to;
    box.dstContext = to_context;
    box.srcPitch = box.dstPitch = 64;
    box.srcHeight = box.dstHeight = 4;
    box.srcXInBytes = box.dstXInBytes = 8;
    box.srcY = box.dstY = 1;
    box.WidthInBytes = 8;
    box.Height = 3;
    box.Depth = 2;
    return box;
  }
  static void expect_no_findings() { EXPECT_EQ(finding_count(), 0u) << finding(0); }

  CUcontext first_ = nullptr;
  CUcontext second_ = nullptr;
};

TEST_F(PeersFresh, AreEnabledOnce) {
  enter(first_);
  int can = 0;
  must(cu().cuDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 1);
  EXPECT_EQ(cu().cuCtxEnablePeerAccess(second_, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuCtxEnablePeerAccess(second_, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_EQ(cu().cuCtxDisablePeerAccess(second_), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuCtxDisablePeerAccess(second_), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

// Copies go by way of the host then.
TEST_F(DoubleFresh, DevicesNeedNotBePeers) {
  start("devices=2,peers=none");
  CUcontext first = nullptr;
  must(cu().cuCtxGetCurrent(&first));
  CUcontext second = nullptr;
  must(cu().cuDevicePrimaryCtxRetain(&second, 1));
  int can = 1;
  must(cu().cuDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 0);
  must(cu().cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cu().cuCtxEnablePeerAccess(second, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  const DeviceMemory here(kBytes);
  must(cu().cuMemsetD8(here, 7, kBytes));
  must(cu().cuCtxSetCurrent(second));
  const DeviceMemory there(kBytes);
  must(cu().cuMemcpyPeer(there, second, here, first, kBytes));
  std::uint32_t word = 0;
  must(cu().cuMemcpyDtoH(&word, there, sizeof word));
  EXPECT_EQ(word, 0x07070707U);
  EXPECT_EQ(finding_count(), 0u) << finding(0);
}

TEST_F(PeersFresh, AKernelWithoutAccessFailsAndBothDevicesAreNamed) {
  const CUdeviceptr there = memory_of(second_);
  const CUfunction function = store_of(first_);
  Stream stream;
  must(store(function, stream, there, 1));
  EXPECT_EQ(cu().cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_NE(finding(0).find("[store] writes 4 bytes"), std::string::npos) << finding(0);
  EXPECT_NE(finding(0).find("of device 1 from device 0, without peer access "
                            "(cuCtxEnablePeerAccess)"),
            std::string::npos)
      << finding(0);
}

TEST_F(PeersFresh, TheErrorIsOfTheDeviceThatRanTheKernel) {
  const CUdeviceptr there = memory_of(second_);
  const CUfunction function = store_of(first_);
  Stream stream;
  must(store(function, stream, there, 1));
  EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  enter(second_);
  EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(word(there), 0u);
}

TEST_F(PeersFresh, AKernelWithAccessReachesTheOtherDevice) {
  const CUdeviceptr there = memory_of(second_);
  const CUfunction function = store_of(first_);
  must(cu().cuCtxEnablePeerAccess(second_, 0));
  Stream stream;
  must(store(function, stream, there, 5));
  stream.synchronize();
  EXPECT_EQ(word(there), 5u);
  expect_no_findings();
}

TEST_F(PeersFresh, AccessIsOfOneDirection) {
  const CUdeviceptr here = memory_of(first_);
  must(cu().cuCtxEnablePeerAccess(second_, 0));
  const CUfunction function = store_of(second_);
  Stream stream;
  must(store(function, stream, here, 5));
  EXPECT_EQ(cu().cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_NE(finding(0).find("of device 0 from device 1"), std::string::npos) << finding(0);
}

TEST_F(PeersFresh, DisabledAccessIsGone) {
  const CUdeviceptr there = memory_of(second_);
  const CUfunction function = store_of(first_);
  must(cu().cuCtxEnablePeerAccess(second_, 0));
  must(cu().cuCtxDisablePeerAccess(second_));
  must(store(function, nullptr, there, 1));
  EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(PeersFresh, AccessEndsWithThePeersContext) {
  CUcontext other = nullptr;
  must(cu().cuCtxCreate(&other, nullptr, 0, 1));
  const CUdeviceptr there = memory_of(second_);
  const CUfunction function = store_of(first_);
  must(cu().cuCtxEnablePeerAccess(other, 0));
  must(cu().cuCtxDestroy(other));
  must(store(function, nullptr, there, 1));
  EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(PeersFresh, PinnedMemoryIsOfAllDevices) {
  enter(second_);
  const PinnedMemory host(64);
  const CUfunction function = store_of(first_);
  must(store(function, nullptr, host.address(), 6));
  must(cu().cuCtxSynchronize());
  EXPECT_EQ(host.words()[0], 6u);
  expect_no_findings();
}

// A copy needs no access: where there is none, a driver stages it through the host.
TEST_F(PeersFresh, CopiesNeedNoAccess) {
  const CUdeviceptr there = memory_of(second_);
  const CUdeviceptr here = memory_of(first_);
  must(cu().cuMemsetD8(here, 5, kBytes));
  must(cu().cuMemcpyPeer(there, second_, here, first_, kBytes));
  EXPECT_EQ(word(there), 0x05050505u);
  Stream stream;
  must(cu().cuMemsetD8Async(here, 6, kBytes, stream));
  must(cu().cuMemcpyPeerAsync(there, second_, here, first_, kBytes, stream));
  stream.synchronize();
  EXPECT_EQ(word(there), 0x06060606u);
  expect_no_findings();
}

TEST_F(PeersFresh, CopiesByUnifiedAddressesFindTheirDevices) {
  const CUdeviceptr there = memory_of(second_);
  const CUdeviceptr here = memory_of(first_);
  Stream stream;
  must(cu().cuMemsetD8Async(here, 7, kBytes, stream));
  must(cu().cuMemcpyAsync(there, here, kBytes, stream));
  stream.synchronize();
  EXPECT_EQ(word(there), 0x07070707u);
  must(cu().cuMemcpyDtoDAsync(here, there + 4, 64, stream));
  stream.synchronize();
  must(cu().cuMemcpy(there + 128, here, 64));
  must(cu().cuCtxSynchronize());
  expect_no_findings();
}

TEST_F(PeersFresh, ContextsOfACopyHaveToBeThoseOfItsMemory) {
  const CUdeviceptr there = memory_of(second_);
  const CUdeviceptr here = memory_of(first_);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cu().cuMemcpyPeer(there, first_, here, first_, 64), CUDA_SUCCESS);
  must(cu().cuCtxSynchronize());
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_EQ(finding(0),
            "peer: cuMemcpyPeer #1 has a context of device 0 for the target, which is memory of "
            "device 1");
  EXPECT_NE(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(PeersFresh, ABlockingPeerCopyIsBehindTheWorkOfBoth) {
  const CUdeviceptr there = memory_of(second_);
  const CUdeviceptr here = memory_of(first_);
  enter(second_);
  Stream of_second;
  Gate gate;
  gate.close(of_second);
  must(cu().cuMemsetD8Async(there, 9, kBytes, of_second));
  enter(first_);
  must(cu().cuMemcpyPeer(here, first_, there, second_, kBytes));
  gate.open();
  must(cu().cuCtxSynchronize());
  EXPECT_EQ(word(here), 0x09090909u);
  expect_no_findings();
}

TEST_F(PeersFresh, AnEventOfOneDeviceOrdersTheOther) {
  const CUdeviceptr here = memory_of(first_);
  Event written(CU_EVENT_DISABLE_TIMING);
  Stream of_first;
  Gate gate;
  gate.close(of_first);
  must(cu().cuMemsetD8Async(here, 3, kBytes, of_first));
  must(cu().cuEventRecord(written, of_first));
  const CUdeviceptr there = memory_of(second_);
  Stream of_second;
  EXPECT_EQ(cu().cuEventRecord(written, of_second), CUDA_ERROR_INVALID_HANDLE);
  must(cu().cuStreamWaitEvent(of_second, written, 0));
  must(cu().cuMemcpyAsync(there, here, kBytes, of_second));
  EXPECT_EQ(cu().cuStreamQuery(of_second), CUDA_ERROR_NOT_READY);
  gate.open();
  of_second.synchronize();
  EXPECT_EQ(word(there), 0x03030303u);
  expect_no_findings();
}

TEST_F(PeersFresh, CopiesOfBoxesFindTheirDevices) {
  const CUdeviceptr there = memory_of(second_);
  const CUdeviceptr here = memory_of(first_);
  must(cu().cuMemsetD8(here, 5, kBytes));
  CUDA_MEMCPY3D_PEER box = box_of(here, first_, there, second_);
  must(cu().cuMemcpy3DPeer(&box));
  EXPECT_EQ(word(there), 0u);       // of a row that is left out
  EXPECT_EQ(word(there + 64), 0u);  // the first column
  EXPECT_EQ(word(there + 72), 0x05050505u);
  EXPECT_EQ(word(there + 80), 0u);                    // behind the box's width
  EXPECT_EQ(word(there + 72 + 64 * 4), 0x05050505u);  // the second slice
  Stream stream;
  must(cu().cuMemsetD8Async(here, 6, kBytes, stream));
  must(cu().cuMemcpy3DPeerAsync(&box, stream));
  stream.synchronize();
  EXPECT_EQ(word(there + 72), 0x06060606u);
  expect_no_findings();
}

TEST_F(PeersFresh, ContextsOfABoxHaveToBeThoseOfItsMemory) {
  const CUdeviceptr there = memory_of(second_);
  const CUdeviceptr here = memory_of(first_);
  CUDA_MEMCPY3D_PEER box = box_of(here, first_, there, first_);
  EXPECT_EQ(cu().cuMemcpy3DPeer(&box), CUDA_SUCCESS);
  must(cu().cuCtxSynchronize());
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_EQ(finding(0),
            "peer: cuMemcpy3DPeer #1 has a context of device 0 for the target, which is memory of "
            "device 1");
  box.dstContext = nullptr;
  EXPECT_EQ(cu().cuMemcpy3DPeer(&box), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cu().cuMemcpy3DPeer(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(PeersFresh, ABlockingCopyOfABoxIsBehindTheWorkOfBoth) {
  const CUdeviceptr there = memory_of(second_);
  const CUdeviceptr here = memory_of(first_);
  enter(second_);
  Stream of_second;
  Gate gate;
  gate.close(of_second);
  must(cu().cuMemsetD8Async(there, 9, kBytes, of_second));
  enter(first_);
  const CUDA_MEMCPY3D_PEER box = box_of(there, second_, here, first_);
  must(cu().cuMemcpy3DPeer(&box));
  gate.open();
  must(cu().cuCtxSynchronize());
  EXPECT_EQ(word(here + 72), 0x09090909u);
  expect_no_findings();
}

TEST_F(PeersFresh, FillsNeedAccessAndBothDevicesAreNamed) {
  const CUdeviceptr there = memory_of(second_);
  enter(first_);
  Stream stream;
  EXPECT_EQ(cu().cuMemsetD8Async(there, 1, 16, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuMemsetD32(there, 1, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuMemsetD2D16(there, 64, 1, 4, 2), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(finding_count(), 3u);
  EXPECT_EQ(finding(0).find("peer: cuMemsetD8Async #1 fills memory of device 1 from device 0, "
                            "without peer access (cuCtxEnablePeerAccess): byte 0 of allocation"),
            0u)
      << finding(0);
  must(cu().cuCtxSynchronize());
  EXPECT_EQ(word(there), 0u);
  must(cu().cuCtxEnablePeerAccess(second_, 0));
  must(cu().cuMemsetD8Async(there, 1, 16, stream));
  stream.synchronize();
  EXPECT_EQ(word(there), 0x01010101u);
  EXPECT_EQ(finding_count(), 3u);
}

TEST_F(PeersFresh, AFillInAGraphNeedsAccessWhenItRuns) {
  const CUdeviceptr there = memory_of(second_);
  enter(first_);
  CUgraph graph = nullptr;
  must(cu().cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = there;
  fill.elementSize = 4;
  fill.width = 4;
  fill.height = 1;
  fill.value = 3;
  CUgraphNode node = nullptr;
  must(cu().cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, first_));
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  must(cu().cuCtxEnablePeerAccess(second_, 0));
  must(cu().cuGraphLaunch(exec, nullptr));
  must(cu().cuCtxSynchronize());
  EXPECT_EQ(word(there), 3u);
  must(cu().cuCtxDisablePeerAccess(second_));
  must(cu().cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_EQ(finding(0).find("error: graph node fill: fills memory of device 1 from device 0"), 0u)
      << finding(0);
}

TEST_F(PeersFresh, AMissingWaitBetweenDevicesIsARace) {
  const CUdeviceptr here = memory_of(first_);
  const CUdeviceptr there = memory_of(second_);
  Stream of_second;
  enter(first_);
  Stream of_first;
  must(cu().cuMemsetD8Async(here, 3, kBytes, of_first));
  enter(second_);
  must(cu().cuMemcpyAsync(there, here, kBytes, of_second));
  must(cu().cuCtxSynchronize());
  enter(first_);
  must(cu().cuCtxSynchronize());
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_NE(finding(0).find("race: "), std::string::npos) << finding(0);
}

TEST_F(PeersFresh, AFunctionOfAnotherContextIsRefused) {
  const CUdeviceptr there = memory_of(second_);
  const CUfunction function = store_of(second_);
  enter(first_);
  Stream of_first;
  EXPECT_EQ(store(function, of_first, there, 1), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(PeersFresh, AStreamTakesWorkOfItsOwnDeviceWhicheverIsCurrent) {
  const CUdeviceptr there = memory_of(second_);
  const CUfunction function = store_of(second_);
  Stream of_second;
  enter(first_);
  must(store(function, of_second, there, 8));
  must(cu().cuStreamSynchronize(of_second));
  EXPECT_EQ(word(there), 8u);
  expect_no_findings();
}

TEST_F(PeersFresh, TimesOfTwoDevicesAreNotCompared) {
  enter(second_);
  Event of_second;
  must(cu().cuEventRecord(of_second, nullptr));
  must(cu().cuCtxSynchronize());
  enter(first_);
  Event of_first;
  must(cu().cuEventRecord(of_first, nullptr));
  must(cu().cuCtxSynchronize());
  float milliseconds = 0;
  EXPECT_EQ(cu().cuEventElapsedTime(&milliseconds, of_first, of_second), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
}  // namespace loci::cuda_rules
