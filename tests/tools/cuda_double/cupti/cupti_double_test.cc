// The double of CUPTI on the double of the driver. Each test has a process of its own.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "cupti_session.h"
#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

constexpr auto kCustom = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

class CuptiDoubleFresh : public OpenedDriverTest {
 protected:
  // Sets the doubles up and makes the primary context of device 0 current.
  static void start(const std::string& settings = "memory=256M") {
    setenv("LOCI_CUDA_DOUBLE", settings.c_str(), 1);
    must(cu().cuInit(0));
    CUcontext context = nullptr;
    must(cu().cuDevicePrimaryCtxRetain(&context, 0));
    must(cu().cuCtxSetCurrent(context));
  }
  static void record_all() {
    record({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
            CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_DRIVER,
            CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION});
  }
  static Recorded& flushed() {
    must(cu().cuCtxSynchronize());
    EXPECT_EQ(cupti().cuptiActivityFlushAll(0), CUPTI_SUCCESS);
    return Recorded::get();
  }
  static void push(std::uint64_t id) {
    EXPECT_EQ(cupti().cuptiActivityPushExternalCorrelationId(kCustom, id), CUPTI_SUCCESS);
  }
  static std::uint64_t pop() {
    std::uint64_t id = 0;
    EXPECT_EQ(cupti().cuptiActivityPopExternalCorrelationId(kCustom, &id), CUPTI_SUCCESS);
    return id;
  }
  static std::size_t dropped() {
    std::size_t count = 0;
    EXPECT_EQ(cupti().cuptiActivityGetNumDroppedRecords(nullptr, 0, &count), CUPTI_SUCCESS);
    return count;
  }
};

TEST_F(CuptiDoubleFresh, AKernelHasItsShapeAndTimes) {
  start();
  const Stream stream;
  const CUfunction empty = kernel("empty");
  std::uint64_t before = 0;
  EXPECT_EQ(cupti().cuptiGetTimestamp(&before), CUPTI_SUCCESS);
  record_all();
  must(cu().cuLaunchKernel(empty, 2, 1, 1, 32, 2, 1, 128, stream, nullptr, nullptr));
  const Recorded& recorded = flushed();
  std::uint64_t after = 0;
  EXPECT_EQ(cupti().cuptiGetTimestamp(&after), CUPTI_SUCCESS);

  ASSERT_EQ(recorded.kernels.size(), 1U);
  const auto& done = recorded.kernels[0];
  EXPECT_STREQ(done.name, "empty");
  EXPECT_EQ(done.gridX, 2);
  EXPECT_EQ(done.blockX, 32);
  EXPECT_EQ(done.blockY, 2);
  EXPECT_EQ(done.blockZ, 1);
  EXPECT_EQ(done.dynamicSharedMemory, 128);
  EXPECT_GT(done.registersPerThread, 0);
  EXPECT_LT(before, done.start);
  EXPECT_LE(done.start, done.end);
  EXPECT_LT(done.end, after);
  EXPECT_EQ(done.graphNodeId, 0U);
  EXPECT_EQ(done.correlationId, recorded.correlation_of("cuLaunchKernel"));
}

TEST_F(CuptiDoubleFresh, CopiesAndFillsHaveTheirEndsAndBytes) {
  start();
  const Stream stream;
  const DeviceMemory memory(256);
  const PinnedMemory pinned(256);
  std::uint32_t pageable[8] = {};
  record_all();
  must(cu().cuMemcpyHtoDAsync(memory, pinned.data(), 64, stream));
  must(cu().cuMemcpyHtoDAsync(memory, pageable, 32, stream));
  must(cu().cuMemcpyDtoHAsync(pinned.data(), memory, 16, stream));
  must(cu().cuMemcpyDtoDAsync(memory + 128, memory, 8, stream));
  must(cu().cuMemsetD32Async(memory, 7, 4, stream));
  const Recorded& recorded = flushed();
  ASSERT_EQ(recorded.copies.size(), 4U);
  EXPECT_EQ(recorded.copies[0].copyKind, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
  EXPECT_EQ(recorded.copies[0].srcKind, CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
  EXPECT_EQ(recorded.copies[0].dstKind, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
  EXPECT_EQ(recorded.copies[0].bytes, 64U);
  EXPECT_EQ(recorded.copies[1].srcKind, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
  EXPECT_EQ(recorded.copies[2].copyKind, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
  EXPECT_EQ(recorded.copies[3].copyKind, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD);
  ASSERT_EQ(recorded.fills.size(), 1U);
  EXPECT_EQ(recorded.fills[0].bytes, 16U);
  EXPECT_EQ(recorded.fills[0].value, 7U);
}

TEST_F(CuptiDoubleFresh, ACopyBetweenDevicesIsOfBoth) {
  start("memory=256M,devices=2");
  CUcontext first = nullptr;
  CUcontext second = nullptr;
  must(cu().cuCtxGetCurrent(&first));
  must(cu().cuDevicePrimaryCtxRetain(&second, 1));
  const DeviceMemory source(64);
  const Stream stream;
  CUdeviceptr target = 0;
  must(cu().cuCtxSetCurrent(second));
  must(cu().cuMemAllocAsync(&target, 64, CU_STREAM_PER_THREAD));
  must(cu().cuCtxSynchronize());
  must(cu().cuCtxSetCurrent(first));
  record_all();
  must(cu().cuMemcpyPeerAsync(target, second, source, first, 64, stream));
  const Recorded& recorded = flushed();
  EXPECT_TRUE(recorded.copies.empty());
  ASSERT_EQ(recorded.peer_copies.size(), 1U);
  EXPECT_EQ(recorded.peer_copies[0].srcDeviceId, 0U);
  EXPECT_EQ(recorded.peer_copies[0].dstDeviceId, 1U);
  must(cu().cuCtxSetCurrent(second));
  must(cu().cuMemFree(target));
  must(cu().cuCtxSetCurrent(first));
}

TEST_F(CuptiDoubleFresh, IdsOfAThreadJoinItsWorkAlone) {
  start();
  CUcontext context = nullptr;
  must(cu().cuCtxGetCurrent(&context));
  const Stream stream;
  const DeviceMemory memory(64);
  record_all();
  push(41);
  push(42);
  must(launch_store(stream, memory, 1));
  EXPECT_EQ(pop(), 42U);
  must(cu().cuMemsetD8Async(memory, 0, 64, stream));
  on_another_thread(context, [&] { must(cu().cuMemcpyDtoDAsync(memory + 32, memory, 8, stream)); });
  EXPECT_EQ(pop(), 41U);
  const Recorded& recorded = flushed();
  ASSERT_EQ(recorded.kernels.size(), 1U);
  EXPECT_EQ(recorded.id_of(recorded.kernels[0].correlationId), 42U);
  ASSERT_EQ(recorded.fills.size(), 1U);
  EXPECT_EQ(recorded.id_of(recorded.fills[0].correlationId), 41U);
  ASSERT_EQ(recorded.copies.size(), 1U);
  EXPECT_EQ(recorded.id_of(recorded.copies[0].correlationId), 0U);
}

TEST_F(CuptiDoubleFresh, CallsHaveNamesThreadsAndResults) {
  start();
  cupti().cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  record({CUPTI_ACTIVITY_KIND_DRIVER});
  CUdeviceptr none = 0;
  EXPECT_NE(cu().cuMemAlloc(&none, 0), CUDA_SUCCESS);
  const Recorded& recorded = flushed();
  EXPECT_NE(recorded.correlation_of("cuCtxSynchronize"), 0U);
  ASSERT_NE(recorded.correlation_of("cuMemAlloc_v2"), 0U);
  const auto& call = recorded.calls[0];
  EXPECT_EQ(call.threadId, static_cast<std::uint32_t>(gettid()));
  EXPECT_EQ(call.returnValue, static_cast<std::uint32_t>(CUDA_ERROR_INVALID_VALUE));
  EXPECT_LE(call.start, call.end);
}

TEST_F(CuptiDoubleFresh, SomeCallsAloneMayBeRecorded) {
  start();
  const Stream stream;
  const DeviceMemory memory(64);
  record({CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_DRIVER});
  for (std::uint32_t call = 1; call < CUPTI_DRIVER_TRACE_CBID_SIZE; ++call) {
    if (call == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) continue;
    EXPECT_EQ(cupti().cuptiActivityEnableDriverApi(call, 0), CUPTI_SUCCESS);
  }
  EXPECT_EQ(cupti().cuptiActivityEnableDriverApi(0, 1), CUPTI_ERROR_INVALID_PARAMETER);
  push(9);
  must(launch_store(stream, memory, 1));
  must(cu().cuMemsetD8Async(memory, 0, 64, stream));
  pop();
  const Recorded& recorded = flushed();
  EXPECT_EQ(recorded.calls.size(), 1U);
  EXPECT_EQ(recorded.external.size(), 1U);
}

// The library of CUDA 13.0 on an H200 behaves so, where there is a context.
TEST_F(CuptiDoubleFresh, ACallThatIsChosenWithoutTheKindIsNotRecorded) {
  start();
  const Stream stream;
  const DeviceMemory memory(64);
  record({CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION});
  EXPECT_EQ(cupti().cuptiActivityEnableDriverApi(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, 1),
            CUPTI_SUCCESS);
  push(9);
  must(launch_store(stream, memory, 1));
  pop();
  const Recorded& recorded = flushed();
  EXPECT_TRUE(recorded.calls.empty());
  EXPECT_TRUE(recorded.external.empty());
}

TEST_F(CuptiDoubleFresh, WorkOfAGraphHasItsNodeAndItsLaunch) {
  start();
  const Stream stream;
  const DeviceMemory memory(64);
  CUgraph graph = graph_of_store(memory, 5);
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  record_all();
  push(77);
  must(cu().cuGraphLaunch(exec, stream));
  pop();
  const Recorded& recorded = flushed();
  ASSERT_EQ(recorded.kernels.size(), 1U);
  EXPECT_NE(recorded.kernels[0].graphNodeId, 0U);
  EXPECT_EQ(recorded.kernels[0].correlationId, recorded.correlation_of("cuGraphLaunch"));
  EXPECT_EQ(recorded.id_of(recorded.kernels[0].correlationId), 77U);
  must(cu().cuGraphExecDestroy(exec));
  must(cu().cuGraphDestroy(graph));
}

TEST_F(CuptiDoubleFresh, ASettingLosesRecordsAndCountsThem) {
  start("memory=256M,cupti_drop=25%");
  const Stream stream;
  const DeviceMemory memory(64);
  record({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  for (int i = 0; i < 40; ++i) must(launch_store(stream, memory, 1));
  EXPECT_EQ(flushed().kernels.size(), 30U);
  EXPECT_EQ(dropped(), 10U);
  EXPECT_EQ(dropped(), 0U);  // since it was asked last
}

TEST_F(CuptiDoubleFresh, WhatTheClientTakesForABufferIsOverhead) {
  start();
  const Stream stream;
  const DeviceMemory memory(64);
  Recorded::get().buffer_bytes = 1024;
  record({CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_OVERHEAD});
  for (int i = 0; i < 20; ++i) must(cu().cuMemsetD8Async(memory, 0, 64, stream));
  const Recorded& recorded = flushed();
  EXPECT_EQ(recorded.fills.size(), 20U);
  ASSERT_EQ(recorded.overhead.size(), recorded.buffers);
  EXPECT_EQ(recorded.overhead[0].overheadKind, CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST);
  EXPECT_GT(recorded.overhead[0].start, 0U);
  EXPECT_LE(recorded.overhead[0].start, recorded.overhead[0].end);
}

TEST_F(CuptiDoubleFresh, CallsForExternalProfilersAreSeen) {
  start();
  record({CUPTI_ACTIVITY_KIND_DRIVER});
  must(cu().cuProfilerStart());
  must(cu().cuProfilerStop());
  const Recorded& recorded = flushed();
  const std::uint32_t begin = recorded.correlation_of("cuProfilerStart");
  EXPECT_NE(begin, 0U);
  EXPECT_LT(begin, recorded.correlation_of("cuProfilerStop"));
  must(cu().cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cu().cuProfilerStart(), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(CuptiDoubleFresh, WithoutBuffersAllIsLostAndCounted) {
  start();
  const Stream stream;
  const DeviceMemory memory(64);
  record({CUPTI_ACTIVITY_KIND_MEMSET});
  Recorded::get().gives_buffers = false;
  must(cu().cuMemsetD8Async(memory, 0, 64, stream));
  EXPECT_EQ(flushed().count(), 0U);
  EXPECT_EQ(dropped(), 1U);
}

TEST_F(CuptiDoubleFresh, FullBuffersComeBackByThemselves) {
  start();
  const Stream stream;
  const DeviceMemory memory(64);
  Recorded::get().buffer_bytes = 1024;
  record({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  for (int i = 0; i < 50; ++i) must(launch_store(stream, memory, 1));
  must(cu().cuCtxSynchronize());
  const auto came = [] {
    const std::lock_guard lock(Recorded::get().mutex);
    return Recorded::get().buffers;
  };
  for (int waits = 0; came() < 2 && waits < 1000; ++waits) usleep(10'000);
  EXPECT_GE(came(), 2U);
  EXPECT_EQ(flushed().kernels.size(), 50U);
  EXPECT_EQ(dropped(), 0U);
}

TEST_F(CuptiDoubleFresh, RecordsWhileItIsEnabled) {
  start();
  const Stream stream;
  const DeviceMemory memory(64);
  record({CUPTI_ACTIVITY_KIND_MEMSET});
  must(cu().cuMemsetD8Async(memory, 0, 64, stream));
  EXPECT_EQ(flushed().fills.size(), 1U);
  EXPECT_EQ(cupti().cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMSET), CUPTI_SUCCESS);
  must(cu().cuMemsetD8Async(memory, 0, 64, stream));
  EXPECT_EQ(flushed().fills.size(), 1U);
  EXPECT_EQ(cupti().cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET), CUPTI_SUCCESS);
  must(cu().cuMemsetD8Async(memory, 0, 64, stream));
  EXPECT_EQ(flushed().fills.size(), 2U);
}

TEST_F(CuptiDoubleFresh, WhatIsNotThereIsRefusedByName) {
  start();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cupti().cuptiSubscribe(nullptr, nullptr, nullptr), CUPTI_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cupti().cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL), CUPTI_ERROR_INVALID_KIND);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "[cuda double] cuptiSubscribe is not there\n"
            "[cuda double] cuptiActivityEnable: records of kind 3 are not there\n");
}

TEST_F(CuptiDoubleFresh, WrongCallsAreRefused) {
  start();
  EXPECT_EQ(cupti().cuptiActivityFlushAll(0), CUPTI_ERROR_INVALID_OPERATION);
  EXPECT_EQ(cupti().cuptiActivityRegisterCallbacks(nullptr, nullptr),
            CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(cupti().cuptiGetTimestamp(nullptr), CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(
      cupti().cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_INVALID, 1),
      CUPTI_ERROR_INVALID_PARAMETER);
  std::uint64_t id = 0;
  EXPECT_EQ(cupti().cuptiActivityPopExternalCorrelationId(kCustom, &id), CUPTI_ERROR_QUEUE_EMPTY);
  const char* name = nullptr;
  EXPECT_EQ(cupti().cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, 0, &name),
            CUPTI_ERROR_INVALID_PARAMETER);
}

TEST_F(CuptiDoubleFresh, FailuresMayBePlanned) {
  start("memory=256M,fail=cuptiActivityEnable:2:35");
  EXPECT_EQ(cupti().cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET), CUPTI_SUCCESS);
  const CUptiResult second = cupti().cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
  EXPECT_EQ(second, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  const char* text = nullptr;
  EXPECT_EQ(cupti().cuptiGetResultString(second, &text), CUPTI_SUCCESS);
  EXPECT_STREQ(text, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES");
}

}  // namespace
}  // namespace loci::cuda_rules
