#include <thread>

#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using StreamRule = DriverTest;

TEST_F(StreamRule, Flags) {
  for (const unsigned flags : {0U, 1U}) {
    Stream stream(flags);
    unsigned answered = 99;
    expect("cuStreamGetFlags", cu().cuStreamGetFlags(stream, &answered), CUDA_SUCCESS);
    EXPECT_EQ(answered, flags);
  }
  CUstream stream = nullptr;
  expect("unknown flags", cu().cuStreamCreate(&stream, 0x10), CUDA_ERROR_INVALID_VALUE);
  expect("no result", cu().cuStreamCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  unsigned flags = 99;
  expect("of the legacy stream", cu().cuStreamGetFlags(CU_STREAM_LEGACY, &flags), CUDA_SUCCESS);
  record("flags of the legacy stream", flags);
  must(cu().cuStreamGetFlags(CU_STREAM_PER_THREAD, &flags));
  record("flags of the thread's stream", flags);
}

TEST_F(StreamRule, PrioritiesAreClamped) {
  int least = 0;
  int greatest = 0;
  must(cu().cuCtxGetStreamPriorityRange(&least, &greatest));
  for (const int wanted : {least, greatest, least + 10, greatest - 10}) {
    CUstream stream = nullptr;
    expect("create", cu().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, wanted),
           CUDA_SUCCESS);
    int priority = 99;
    must(cu().cuStreamGetPriority(stream, &priority));
    expect_value("priority", priority,
                 wanted > least      ? least
                 : wanted < greatest ? greatest
                                     : wanted);
    must(cu().cuStreamDestroy(stream));
  }
  int priority = 99;
  expect("of the legacy stream", cu().cuStreamGetPriority(nullptr, &priority), CUDA_SUCCESS);
  expect_value("0", priority, 0);
}

TEST_F(StreamRule, QueryTellsWhetherWorkIsPending) {
  Stream stream;
  expect("of none", cu().cuStreamQuery(stream), CUDA_SUCCESS);
  Gate gate;
  gate.close(stream);
  expect("pending", cu().cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  gate.open();
  stream.synchronize();
  expect("done", cu().cuStreamQuery(stream), CUDA_SUCCESS);
}

TEST_F(StreamRule, RunsInOrder) {
  Stream stream;
  DeviceMemory memory(4);
  for (std::uint32_t i = 1; i <= 100; ++i) must(launch_store(stream, memory, i));
  stream.synchronize();
  expect_value("the last", memory.word(), 100U);
}

TEST_F(StreamRule, SpinningKernelDoesNotHoldUpOthers) {
  PinnedMemory flag(4);
  Stream waiting;
  must(launch_spin(waiting, flag.address()));
  expect("pending", cu().cuStreamQuery(waiting), CUDA_ERROR_NOT_READY);
  Stream other;
  must(cu().cuMemsetD32Async(flag.address(), 1, 1, other));
  expect("synchronise", cu().cuStreamSynchronize(waiting), CUDA_SUCCESS);
  other.synchronize();
}

TEST_F(StreamRule, LegacyStreamWaitsForBlockingStreamsAndTheyForIt) {
  DeviceMemory memory(4);
  {
    Stream blocking(CU_STREAM_DEFAULT);
    Gate gate;
    gate.close(blocking);
    must(launch_store(nullptr, memory, 1));
    expect("legacy behind a blocking stream", cu().cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
    gate.open();
    must(cu().cuCtxSynchronize());
  }
  Stream blocking(CU_STREAM_DEFAULT);
  Stream independent(CU_STREAM_NON_BLOCKING);
  Gate gate;
  gate.close(nullptr);
  must(launch_store(blocking, memory, 2));
  must(launch_store(independent, memory, 3));
  expect("non-blocking beside the legacy stream", cu().cuStreamSynchronize(independent),
         CUDA_SUCCESS);
  expect("blocking behind the legacy stream", cu().cuStreamQuery(blocking), CUDA_ERROR_NOT_READY);
  gate.open();
  must(cu().cuCtxSynchronize());
  expect_value("the last that ran", memory.word(), 2U);
}

TEST_F(StreamRule, BlockingStreamsDoNotWaitForEachOther) {
  Stream first(CU_STREAM_DEFAULT);
  Stream second(CU_STREAM_DEFAULT);
  DeviceMemory memory(4);
  Gate gate;
  gate.close(first);
  must(launch_store(second, memory, 1));
  expect("second", cu().cuStreamSynchronize(second), CUDA_SUCCESS);
  gate.open();
  first.synchronize();
}

TEST_F(StreamRule, StreamOfTheThread) {
  DeviceMemory memory(4);
  Gate gate;
  gate.close(CU_STREAM_PER_THREAD);
  must(launch_store(CU_STREAM_PER_THREAD, memory, 1));
  expect("pending", cu().cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
  on_another_thread(context(), [] {
    expect("of another thread", cu().cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_SUCCESS);
  });
  must(launch_store(nullptr, memory, 2));
  expect("legacy behind it", cu().cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  gate.open();
  must(cu().cuCtxSynchronize());
  expect("destroy it", cu().cuStreamDestroy(CU_STREAM_PER_THREAD), CUDA_ERROR_INVALID_HANDLE);
  expect("destroy the legacy stream", cu().cuStreamDestroy(CU_STREAM_LEGACY),
         CUDA_ERROR_INVALID_HANDLE);
  record("destroy null", cu().cuStreamDestroy(nullptr));
}

TEST_F(StreamRule, IdsDiffer) {
  Stream first;
  Stream second;
  unsigned long long one = 0;
  unsigned long long two = 0;
  expect("cuStreamGetId", cu().cuStreamGetId(first, &one), CUDA_SUCCESS);
  must(cu().cuStreamGetId(second, &two));
  expect_value("differ", one != two, true);
  must(cu().cuStreamGetId(nullptr, &one));
  must(cu().cuStreamGetId(CU_STREAM_LEGACY, &two));
  expect_value("null is the legacy stream", one == two, true);
}

TEST_F(StreamRule, DestructionLetsWorkFinish) {
  CUstream stream = nullptr;
  must(cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DeviceMemory memory(4);
  Gate gate;
  gate.close(stream);
  must(launch_store(stream, memory, 9));
  expect_text("cuStreamDestroy",
              blocks_until_open(gate, context(), [&] { must(cu().cuStreamDestroy(stream)); }),
              "returns");
  must(cu().cuCtxSynchronize());
  expect_value("done", memory.word(), 9U);
}

TEST_F(StreamRule, ContextSynchronisationWaitsForAll) {
  Stream first;
  Stream second(CU_STREAM_DEFAULT);
  {
    Gate gate;
    gate.close(first);
    expect_text("for a non-blocking stream",
                blocks_until_open(gate, context(), [] { must(cu().cuCtxSynchronize()); }),
                "blocks");
  }
  Gate gate;
  gate.close(second);
  expect_text("for a blocking stream",
              blocks_until_open(gate, context(), [] { must(cu().cuCtxSynchronize()); }), "blocks");
}

TEST_F(StreamRule, TheLegacyStreamSynchronised) {
  Stream independent;
  Gate gate;
  gate.close(independent);
  expect_text("for a non-blocking stream",
              blocks_until_open(gate, context(), [] { must(cu().cuStreamSynchronize(nullptr)); }),
              "returns");
  independent.synchronize();
  Stream blocking(CU_STREAM_DEFAULT);
  Gate second;
  second.close(blocking);
  record("query with a blocking stream busy", cu().cuStreamQuery(nullptr));
  record("for a blocking stream",
         blocks_until_open(second, context(), [] { must(cu().cuStreamSynchronize(nullptr)); }));
  blocking.synchronize();
}

}  // namespace
}  // namespace loci::cuda_rules
