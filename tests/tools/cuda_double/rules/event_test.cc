#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using EventRule = DriverTest;

TEST_F(EventRule, Creation) {
  CUevent event = nullptr;
  for (const unsigned flags : {0U, 1U, 2U, 3U}) {
    expect("flags " + std::to_string(flags), cu().cuEventCreate(&event, flags), CUDA_SUCCESS);
    must(cu().cuEventDestroy(event));
  }
  expect("interprocess with timing", cu().cuEventCreate(&event, CU_EVENT_INTERPROCESS),
         CUDA_ERROR_INVALID_VALUE);
  expect("unknown flags", cu().cuEventCreate(&event, 0x100), CUDA_ERROR_INVALID_VALUE);
  expect("no result", cu().cuEventCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  expect_one_of("destroy null", cu().cuEventDestroy(nullptr),
                {CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE});
}

TEST_F(EventRule, NeverRecordedCountsAsDone) {
  Event event;
  Stream stream;
  expect("query", cu().cuEventQuery(event), CUDA_SUCCESS);
  expect("synchronise", cu().cuEventSynchronize(event), CUDA_SUCCESS);
  expect("wait", cu().cuStreamWaitEvent(stream, event, 0), CUDA_SUCCESS);
  expect("stream is idle", cu().cuStreamQuery(stream), CUDA_SUCCESS);
}

TEST_F(EventRule, FollowsItsStream) {
  Event event(CU_EVENT_DISABLE_TIMING);
  Stream stream;
  Gate gate;
  gate.close(stream);
  must(cu().cuEventRecord(event, stream));
  expect("pending", cu().cuEventQuery(event), CUDA_ERROR_NOT_READY);
  gate.open();
  expect("synchronise", cu().cuEventSynchronize(event), CUDA_SUCCESS);
  expect("done", cu().cuEventQuery(event), CUDA_SUCCESS);
}

TEST_F(EventRule, OrdersStreams) {
  Event event(CU_EVENT_DISABLE_TIMING);
  Stream first;
  Stream second;
  DeviceMemory memory(4);
  Gate gate;
  gate.close(first);
  must(launch_store(first, memory, 1));
  must(cu().cuEventRecord(event, first));
  must(cu().cuStreamWaitEvent(second, event, 0));
  must(launch_store(second, memory, 2));
  expect("second is held up", cu().cuStreamQuery(second), CUDA_ERROR_NOT_READY);
  gate.open();
  second.synchronize();
  expect_value("the last", memory.word(), 2U);
}

// A wait takes the record that is the last when it is called; later ones do not move it.
TEST_F(EventRule, WaitKeepsTheRecordItSaw) {
  Event event(CU_EVENT_DISABLE_TIMING);
  Stream first;
  Stream second;
  must(cu().cuEventRecord(event, first));
  must(cu().cuStreamWaitEvent(second, event, 0));
  Gate gate;
  gate.close(first);
  must(cu().cuEventRecord(event, first));
  expect("second does not wait for the later record", cu().cuStreamSynchronize(second),
         CUDA_SUCCESS);
  expect("the event is that of the later one", cu().cuEventQuery(event), CUDA_ERROR_NOT_READY);
  gate.open();
  first.synchronize();
}

TEST_F(EventRule, RecordedAgainItMayBeDestroyedWhilePending) {
  CUevent event = nullptr;
  must(cu().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  Stream first;
  Stream second;
  Gate gate;
  gate.close(first);
  must(cu().cuEventRecord(event, first));
  must(cu().cuStreamWaitEvent(second, event, 0));
  expect_text("cuEventDestroy",
              blocks_until_open(gate, context(), [&] { must(cu().cuEventDestroy(event)); }),
              "returns");
  expect("second", cu().cuStreamSynchronize(second), CUDA_SUCCESS);
}

TEST_F(EventRule, ElapsedTime) {
  Event start;
  Event stop;
  Event untimed(CU_EVENT_DISABLE_TIMING);
  Stream stream;
  float milliseconds = -1;
  expect("never recorded", cu().cuEventElapsedTime(&milliseconds, start, stop),
         CUDA_ERROR_INVALID_HANDLE);
  must(cu().cuEventRecord(start, stream));
  expect("one never recorded", cu().cuEventElapsedTime(&milliseconds, start, stop),
         CUDA_ERROR_INVALID_HANDLE);
  Gate gate;
  gate.close(stream);
  must(cu().cuEventRecord(stop, stream));
  must(cu().cuEventRecord(untimed, stream));
  expect("pending", cu().cuEventElapsedTime(&milliseconds, start, stop), CUDA_ERROR_NOT_READY);
  gate.open();
  stream.synchronize();
  expect("done", cu().cuEventElapsedTime(&milliseconds, start, stop), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 0);
  expect("without timing", cu().cuEventElapsedTime(&milliseconds, start, untimed),
         CUDA_ERROR_INVALID_HANDLE);
  expect("backwards", cu().cuEventElapsedTime(&milliseconds, stop, start), CUDA_SUCCESS);
  record("backwards is negative or zero", milliseconds <= 0);
  expect("with itself", cu().cuEventElapsedTime(&milliseconds, start, start), CUDA_SUCCESS);
  // The manual has CUDA_ERROR_INVALID_VALUE for it.
  expect("no result", cu().cuEventElapsedTime(nullptr, start, stop), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(EventRule, FlagsOfRecordAndWait) {
  Event event;
  Stream stream;
  expect("record with unknown flags", cu().cuEventRecordWithFlags(event, stream, 0x10),
         CUDA_ERROR_INVALID_VALUE);
  record("external record outside a capture",
         cu().cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
  expect("wait with unknown flags", cu().cuStreamWaitEvent(stream, event, 0x10),
         CUDA_ERROR_INVALID_VALUE);
  record("external wait outside a capture",
         cu().cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
  stream.synchronize();
}

TEST_F(EventRule, Null) {
  Stream stream;
  record("record", cu().cuEventRecord(nullptr, stream));
  record("query", cu().cuEventQuery(nullptr));
  record("synchronise", cu().cuEventSynchronize(nullptr));
  record("wait", cu().cuStreamWaitEvent(stream, nullptr, 0));
}

TEST_F(EventRule, RecordedOnTheLegacyStreamItCoversBlockingStreams) {
  Event event(CU_EVENT_DISABLE_TIMING);
  Stream blocking(CU_STREAM_DEFAULT);
  Stream independent;
  Gate gate;
  gate.close(blocking);
  must(cu().cuEventRecord(event, nullptr));
  record("query", cu().cuEventQuery(event));
  gate.open();
  must(cu().cuCtxSynchronize());
}

}  // namespace
}  // namespace loci::cuda_rules
