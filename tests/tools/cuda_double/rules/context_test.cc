#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using Context = DriverTest;
using PrimaryContextFresh = OpenedDriverTest;

CUcontext current() {
  CUcontext context = nullptr;
  must(cu().cuCtxGetCurrent(&context));
  return context;
}

CUcontext create(CUdevice device) {
  CUcontext context = nullptr;
  must(cu().cuCtxCreate(&context, nullptr, 0, device));
  return context;
}

TEST_F(Context, CurrentIsAStackOfEachThread) {
  must(cu().cuCtxPushCurrent(context()));
  CUcontext popped = nullptr;
  expect("pop", cu().cuCtxPopCurrent(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, context());
  EXPECT_EQ(current(), context());  // what SetUp() made current
  expect("pop the last", cu().cuCtxPopCurrent(&popped), CUDA_SUCCESS);
  EXPECT_EQ(current(), nullptr);
  expect("pop none", cu().cuCtxPopCurrent(&popped), CUDA_ERROR_INVALID_CONTEXT);
  expect("push null", cu().cuCtxPushCurrent(nullptr), CUDA_ERROR_INVALID_VALUE);
  must(cu().cuCtxSetCurrent(context()));
}

TEST_F(Context, SetCurrentReplacesTheTop) {
  must(cu().cuCtxPushCurrent(context()));
  expect("null", cu().cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  record("below it", current() == context() ? "the one before"
                     : current() == nullptr ? "none"
                                            : "another");
  must(cu().cuCtxSetCurrent(nullptr));
  must(cu().cuCtxSetCurrent(context()));
  EXPECT_EQ(current(), context());
}

TEST_F(Context, PopMayLeaveOutTheResult) {
  must(cu().cuCtxPushCurrent(context()));
  expect("pop", cu().cuCtxPopCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(current(), context());
}

TEST_F(Context, AnotherThreadHasNone) {
  on_another_thread(nullptr, [] {
    expect_value("is null", current() == nullptr, true);
    CUdeviceptr address = 0;
    expect("cuMemAlloc", cu().cuMemAlloc(&address, 16), CUDA_ERROR_INVALID_CONTEXT);
  });
}

TEST_F(Context, Questions) {
  CUdevice found = -1;
  expect("cuCtxGetDevice", cu().cuCtxGetDevice(&found), CUDA_SUCCESS);
  EXPECT_EQ(found, device());
  unsigned version = 0;
  expect("cuCtxGetApiVersion", cu().cuCtxGetApiVersion(context(), &version), CUDA_SUCCESS);
  record("api version", version);
  unsigned flags = 99;
  expect("cuCtxGetFlags", cu().cuCtxGetFlags(&flags), CUDA_SUCCESS);
  record("flags", flags);
  unsigned long long id = 0;
  expect("cuCtxGetId", cu().cuCtxGetId(context(), &id), CUDA_SUCCESS);
  unsigned long long of_current = 0;
  expect("cuCtxGetId of null", cu().cuCtxGetId(nullptr, &of_current), CUDA_SUCCESS);
  EXPECT_EQ(id, of_current);
  int least = 1;
  int greatest = 1;
  expect("priorities", cu().cuCtxGetStreamPriorityRange(&least, &greatest), CUDA_SUCCESS);
  expect_value("least", least, 0);
  record("greatest", greatest);
  EXPECT_LE(greatest, least);
  expect("priorities unwanted", cu().cuCtxGetStreamPriorityRange(nullptr, nullptr), CUDA_SUCCESS);
}

TEST_F(Context, Limits) {
  for (const auto limit :
       {CU_LIMIT_STACK_SIZE, CU_LIMIT_PRINTF_FIFO_SIZE, CU_LIMIT_MALLOC_HEAP_SIZE}) {
    std::size_t value = 0;
    expect("get " + std::to_string(limit), cu().cuCtxGetLimit(&value, limit), CUDA_SUCCESS);
    record("value " + std::to_string(limit), value);
  }
  std::size_t value = 0;
  // The manual has CUDA_ERROR_UNSUPPORTED_LIMIT for it.
  expect("unknown", cu().cuCtxGetLimit(&value, static_cast<CUlimit>(99)), CUDA_ERROR_INVALID_VALUE);
  expect("set", cu().cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048), CUDA_SUCCESS);
  must(cu().cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
  expect_value("after set", value, 2048);
}

TEST_F(Context, OfItsOwnIsCurrentUntilDestroyed) {
  const CUcontext own = create(device());
  EXPECT_EQ(current(), own);
  EXPECT_NE(own, context());
  unsigned version = 0;
  must(cu().cuCtxGetApiVersion(own, &version));
  record("api version", version);
  expect("destroy", cu().cuCtxDestroy(own), CUDA_SUCCESS);
  record("current afterwards", current() == context() ? "the one before"
                               : current() == nullptr ? "none"
                                                      : "another");
  must(cu().cuCtxSetCurrent(context()));
}

TEST_F(Context, DestroyedOnAnotherThreadStaysCurrentHere) {
  const CUcontext own = create(device());
  on_another_thread(nullptr, [&] { expect("destroy", cu().cuCtxDestroy(own), CUDA_SUCCESS); });
  record("current", current() == own ? "the destroyed one" : "another");
  CUdeviceptr address = 0;
  expect("cuMemAlloc", cu().cuMemAlloc(&address, 16), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  record("cuCtxSynchronize", cu().cuCtxSynchronize());
  CUcontext popped = nullptr;
  expect("pop", cu().cuCtxPopCurrent(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, own);
}

TEST_F(Context, ObjectsOfAnotherContext) {
  Stream stream;
  Event event;
  DeviceMemory memory(16);
  const CUcontext own = create(device());
  record("launch on its stream", launch_store(stream, memory, 1));
  record("record its event on its stream", cu().cuEventRecord(event, stream));
  record("query its stream", cu().cuStreamQuery(stream));
  CUstream mine = nullptr;
  must(cu().cuStreamCreate(&mine, CU_STREAM_NON_BLOCKING));
  record("record its event on my stream", cu().cuEventRecord(event, mine));
  record("my stream waits for its event", cu().cuStreamWaitEvent(mine, event, 0));
  record("launch its kernel on my stream", launch_store(mine, memory, 2));
  record("fill its memory on my stream", cu().cuMemsetD8Async(memory, 1, 16, mine));
  record("wait for mine", cu().cuStreamSynchronize(mine));
  must(cu().cuStreamDestroy(mine));
  CUcontext of_stream = nullptr;
  expect("cuStreamGetCtx", cu().cuStreamGetCtx(stream, &of_stream), CUDA_SUCCESS);
  EXPECT_EQ(of_stream, context());
  must(cu().cuCtxSetCurrent(context()));
  must(cu().cuCtxSynchronize());
  must(cu().cuCtxDestroy(own));
  must(cu().cuCtxSetCurrent(context()));
}

TEST_F(Context, WrongArguments) {
  CUcontext made = nullptr;
  expect("no device", cu().cuCtxCreate(&made, nullptr, 0, 1000), CUDA_ERROR_INVALID_DEVICE);
  expect("flags", cu().cuCtxCreate(&made, nullptr, 0x7000, device()), CUDA_ERROR_INVALID_VALUE);
  expect("no result", cu().cuCtxCreate(nullptr, nullptr, 0, device()), CUDA_ERROR_INVALID_VALUE);
  expect("destroy null", cu().cuCtxDestroy(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(PrimaryContextFresh, IsNotDestroyed) {
  if (cu().cuInit(0) != CUDA_SUCCESS) GTEST_SKIP() << "no device";
  CUcontext context = nullptr;
  must(cu().cuDevicePrimaryCtxRetain(&context, 0));
  record("cuCtxDestroy", cu().cuCtxDestroy(context));
  unsigned flags = 0;
  int active = -1;
  must(cu().cuDevicePrimaryCtxGetState(0, &flags, &active));
  record("active afterwards", active);
  must(cu().cuCtxSetCurrent(context));
  CUdeviceptr address = 0;
  record("cuMemAlloc afterwards", cu().cuMemAlloc(&address, 16));
}

TEST_F(PrimaryContextFresh, IsCounted) {
  if (cu().cuInit(0) != CUDA_SUCCESS) GTEST_SKIP() << "no device";
  unsigned flags = 99;
  int active = -1;
  expect("state", cu().cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  expect_value("active", active, 0);
  record("flags", flags);
  expect("release none", cu().cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
  CUcontext first = nullptr;
  CUcontext second = nullptr;
  expect("retain", cu().cuDevicePrimaryCtxRetain(&first, 0), CUDA_SUCCESS);
  expect_value("is made current", current() != nullptr, false);
  expect("again", cu().cuDevicePrimaryCtxRetain(&second, 0), CUDA_SUCCESS);
  EXPECT_EQ(first, second);
  must(cu().cuDevicePrimaryCtxGetState(0, &flags, &active));
  expect_value("active when retained", active, 1);
  expect("release", cu().cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  must(cu().cuDevicePrimaryCtxGetState(0, &flags, &active));
  expect_value("active after one release", active, 1);
  expect("release the last", cu().cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  must(cu().cuDevicePrimaryCtxGetState(0, &flags, &active));
  expect_value("active after the last", active, 0);
  expect("release once more", cu().cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(PrimaryContextFresh, ReleaseEndsItsObjects) {
  if (cu().cuInit(0) != CUDA_SUCCESS) GTEST_SKIP() << "no device";
  CUcontext context = nullptr;
  must(cu().cuDevicePrimaryCtxRetain(&context, 0));
  must(cu().cuCtxSetCurrent(context));
  CUdeviceptr address = 0;
  must(cu().cuMemAlloc(&address, 1 << 20));
  must(cu().cuDevicePrimaryCtxRelease(0));
  CUdeviceptr other = 0;
  record("cuMemAlloc with the released one current", cu().cuMemAlloc(&other, 16));
  CUcontext again = nullptr;
  must(cu().cuDevicePrimaryCtxRetain(&again, 0));
  record("the handle of the next", again == context ? "the same" : "another");
  must(cu().cuCtxSetCurrent(again));
  expect("free of the old memory", cu().cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
  must(cu().cuDevicePrimaryCtxRelease(0));
}

TEST_F(PrimaryContextFresh, FlagsAndReset) {
  if (cu().cuInit(0) != CUDA_SUCCESS) GTEST_SKIP() << "no device";
  expect("set flags", cu().cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC), CUDA_SUCCESS);
  unsigned flags = 99;
  int active = -1;
  must(cu().cuDevicePrimaryCtxGetState(0, &flags, &active));
  record("flags before it is active", flags);
  CUcontext context = nullptr;
  must(cu().cuDevicePrimaryCtxRetain(&context, 0));
  must(cu().cuCtxSetCurrent(context));
  must(cu().cuCtxGetFlags(&flags));
  record("flags of the context", flags);
  expect("wrong flags", cu().cuDevicePrimaryCtxSetFlags(0, 0x7000), CUDA_ERROR_INVALID_VALUE);
  expect("set flags when active", cu().cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN),
         CUDA_SUCCESS);
  expect("reset", cu().cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  must(cu().cuDevicePrimaryCtxGetState(0, &flags, &active));
  record("active after reset", active);
  CUdeviceptr address = 0;
  record("cuMemAlloc after reset", cu().cuMemAlloc(&address, 16));
  record("release after reset", cu().cuDevicePrimaryCtxRelease(0));
}

}  // namespace
}  // namespace loci::cuda_rules
