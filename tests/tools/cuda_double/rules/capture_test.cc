// Beginning, ending and what a capture records: rules A of the capture rules.
#include <thread>

#include "capture.h"

namespace loci::cuda_rules {
namespace {

using Capture = DriverTest;

// These tests may leave a thread in a capture that nothing ends.
class CaptureFresh : public DriverTest {
 protected:
  void TearDown() override {}
};

TEST_F(Capture, RecordsWithoutRunning) {
  Stream stream;
  DeviceMemory memory(4);
  begin_capture(stream);
  EXPECT_EQ(capture_status(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  expect("launch", launch_store(stream, memory, 5), CUDA_SUCCESS);
  Captured captured(stream);
  expect("end", captured.code, CUDA_SUCCESS);
  EXPECT_EQ(capture_status(stream), CU_STREAM_CAPTURE_STATUS_NONE);
  expect_value("before the first launch", memory.word(), 0U);
  run_once(captured.graph, stream);
  expect_value("after it", memory.word(), 5U);
}

TEST_F(Capture, OfNothingGivesAnEmptyGraph) {
  Stream stream;
  begin_capture(stream);
  Captured captured(stream);
  expect("end", captured.code, CUDA_SUCCESS);
  ASSERT_NE(captured.graph, nullptr);
  expect_value("nodes", node_count(captured.graph), 0);
  run_once(captured.graph, stream);
}

TEST_F(Capture, BeginErrors) {
  Stream stream;
  expect("on the legacy stream", cu().cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL),
         CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expect("on the legacy stream by its handle",
         cu().cuStreamBeginCapture(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_RELAXED),
         CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expect("unknown mode", cu().cuStreamBeginCapture(stream, static_cast<CUstreamCaptureMode>(9)),
         CUDA_ERROR_INVALID_VALUE);
  begin_capture(stream);
  record("twice", cu().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  record("status afterwards", capture_status_name(stream));
  Captured captured(stream);
  record("end", captured.code);
}

TEST_F(Capture, EndErrors) {
  Stream stream;
  CUgraph graph = reinterpret_cast<CUgraph>(1);
  expect("without begin", cu().cuStreamEndCapture(stream, &graph), CUDA_ERROR_ILLEGAL_STATE);
  record("graph is null", graph == nullptr);
  record("on the legacy stream", cu().cuStreamEndCapture(nullptr, &graph));
  begin_capture(stream);
  record("no result", cu().cuStreamEndCapture(stream, nullptr));
  record("status afterwards", capture_status_name(stream));
  if (capture_status(stream) != CU_STREAM_CAPTURE_STATUS_NONE) Captured finished(stream);
}

TEST_F(Capture, OnTheStreamOfTheThread) {
  record("begin",
         cu().cuStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  if (capture_status(CU_STREAM_PER_THREAD) == CU_STREAM_CAPTURE_STATUS_NONE) return;
  Captured captured(CU_STREAM_PER_THREAD);
  expect("end", captured.code, CUDA_SUCCESS);
}

TEST_F(Capture, EndsOnItsOwnThreadUnlessRelaxed) {
  for (const auto mode : {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                          CU_STREAM_CAPTURE_MODE_RELAXED}) {
    Stream stream;
    begin_capture(stream, mode);
    on_another_thread(context(), [&] {
      CUgraph graph = nullptr;
      expect("mode " + std::to_string(mode), cu().cuStreamEndCapture(stream, &graph),
             mode == CU_STREAM_CAPTURE_MODE_RELAXED ? CUDA_SUCCESS
                                                    : CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
      if (graph != nullptr) must(cu().cuGraphDestroy(graph));
    });
    record("status afterwards " + std::to_string(mode), capture_status_name(stream));
    if (capture_status(stream) == CU_STREAM_CAPTURE_STATUS_NONE) continue;
    Captured captured(stream);
    record("end on the right thread " + std::to_string(mode), captured.code);
  }
}

TEST_F(Capture, AnotherThreadMayAddWork) {
  Stream stream;
  DeviceMemory memory(4);
  begin_capture(stream);
  on_another_thread(context(),
                    [&] { expect("launch", launch_store(stream, memory, 3), CUDA_SUCCESS); });
  Captured captured(stream);
  expect_value("nodes", node_count(captured.graph), 1);
}

TEST_F(Capture, InvalidatedItGivesNothingAndLeavesNothing) {
  Stream stream;
  DeviceMemory memory(4);
  begin_capture(stream);
  must(launch_store(stream, memory, 1));
  expect("synchronise", cu().cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expect_text("status", capture_status_name(stream), "invalidated");
  expect("launch", launch_store(stream, memory, 2), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  record("query", cu().cuStreamQuery(stream));
  Event event;
  record("record an event", cu().cuEventRecord(event, stream));
  expect("fill", cu().cuMemsetD8Async(memory, 1, 4, stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  record("begin again", cu().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CUgraph graph = reinterpret_cast<CUgraph>(1);
  expect("end", cu().cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  expect_value("graph is null", graph == nullptr, true);
  expect_text("status afterwards", capture_status_name(stream), "none");
  expect("launch afterwards", launch_store(stream, memory, 3), CUDA_SUCCESS);
  stream.synchronize();
  expect_value("it ran", memory.word(), 3U);
  begin_capture(stream);
  must(launch_store(stream, memory, 4));
  Captured second(stream);
  expect("a second capture", second.code, CUDA_SUCCESS);
}

TEST_F(CaptureFresh, StreamDestroyedWhileCapturing) {
  CUstream stream = nullptr;
  must(cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  begin_capture(stream);
  record("cuStreamDestroy", cu().cuStreamDestroy(stream));
  CUdeviceptr address = 0;
  const CUresult after = cu().cuMemAlloc(&address, 16);
  record("cuMemAlloc afterwards", after);
  if (after == CUDA_SUCCESS) must(cu().cuMemFree(address));
}

TEST_F(CaptureFresh, ForkedStreamDestroyed) {
  Stream origin;
  CUstream side = nullptr;
  must(cu().cuStreamCreate(&side, CU_STREAM_NON_BLOCKING));
  Event forked(CU_EVENT_DISABLE_TIMING);
  DeviceMemory memory(8);
  begin_capture(origin);
  must(launch_store(origin, memory, 1));
  fork(origin, side, forked);
  must(launch_store(side, memory, 2));
  record("cuStreamDestroy", cu().cuStreamDestroy(side));
  record("origin", capture_status_name(origin));
  Captured captured(origin);
  record("end", captured.code);
}

// The manual says nothing of it; driver 580 refuses, and the capture is lost.
TEST_F(Capture, LaunchOfAGraphIsRefused) {
  Stream stream;
  DeviceMemory memory(4);
  const CUgraph inner = graph_of_store(memory, 4);
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, inner, 0));
  begin_capture(stream);
  expect("launch", cu().cuGraphLaunch(exec, stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  record("capture", capture_status_name(stream));
  Captured captured(stream);
  expect("end", captured.code, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  must(cu().cuGraphExecDestroy(exec));
  must(cu().cuGraphDestroy(inner));
}

TEST_F(Capture, LaunchesOfOtherForms) {
  Stream stream;
  begin_capture(stream);
  record("cooperative",
         cu().cuLaunchCooperativeKernel(kernel("empty"), 1, 1, 1, 32, 1, 1, 0, stream, nullptr));
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attribute.value.priority = -1;
  CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1};
  record("with a priority", cu().cuLaunchKernelEx(&config, kernel("empty"), nullptr, nullptr));
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  record("programmatic", cu().cuLaunchKernelEx(&config, kernel("empty"), nullptr, nullptr));
  record("capture", capture_status_name(stream));
  Captured captured(stream);
  record("end", captured.code);
  if (captured.graph != nullptr) record("nodes", node_types(captured.graph));
}

TEST_F(Capture, TwoAtOnce) {
  Stream first;
  Stream second;
  DeviceMemory memory(8);
  begin_capture(first);
  begin_capture(second);
  must(launch_store(first, memory, 1));
  must(launch_store(second, memory + 4, 2));
  Captured one(first);
  Captured two(second);
  expect("first", one.code, CUDA_SUCCESS);
  expect("second", two.code, CUDA_SUCCESS);
  run_once(two.graph, first);
  expect_value("second alone", memory.word(0), 0U);
  expect_value("second ran", memory.word(1), 2U);
}

TEST_F(Capture, WorkOnOtherStreamsRuns) {
  Stream capturing;
  Stream other;
  DeviceMemory memory(4);
  begin_capture(capturing, CU_STREAM_CAPTURE_MODE_RELAXED);
  must(launch_store(other, memory, 8));
  expect("synchronise another stream", cu().cuStreamSynchronize(other), CUDA_SUCCESS);
  expect("query another stream", cu().cuStreamQuery(other), CUDA_SUCCESS);
  Captured captured(capturing);
  expect("end", captured.code, CUDA_SUCCESS);
  expect_value("ran", memory.word(), 8U);
}

TEST_F(Capture, RecordsEachKindOfWork) {
  Stream stream;
  DeviceMemory memory(256);
  PinnedMemory pinned(256);
  begin_capture(stream);
  must(cu().cuMemcpyHtoDAsync(memory, pinned.data(), 256, stream));
  must(cu().cuMemsetD32Async(memory, 3, 4, stream));
  must(launch_increment(stream, memory));
  must(cu().cuLaunchHostFunc(
      stream, [](void*) {}, nullptr));
  must(cu().cuMemcpyDtoDAsync(memory + 128, memory, 64, stream));
  must(cu().cuMemcpyDtoHAsync(pinned.data(), memory, 256, stream));
  Captured captured(stream);
  expect("end", captured.code, CUDA_SUCCESS);
  expect_text("nodes", node_types(captured.graph), "memcpy memset kernel host memcpy memcpy");
  expect_value("edges", edge_count(captured.graph), 5);
  run_once(captured.graph, stream);
  expect_value("result", static_cast<std::uint32_t>(pinned.words()[0]), 4U);
}

TEST_F(Capture, ZeroSizedWork) {
  Stream stream;
  DeviceMemory memory(16);
  PinnedMemory pinned(16);
  begin_capture(stream);
  record("copy", cu().cuMemcpyHtoDAsync(memory, pinned.data(), 0, stream));
  record("fill", cu().cuMemsetD8Async(memory, 0, 0, stream));
  Captured captured(stream);
  record("end", captured.code);
  if (captured.graph != nullptr) record("nodes", node_types(captured.graph));
}

TEST_F(Capture, AnArgumentErrorDoesNotInvalidate) {
  Stream stream;
  DeviceMemory memory(16);
  begin_capture(stream);
  record("launch of no threads",
         cu().cuLaunchKernel(kernel("empty"), 1, 1, 1, 0, 1, 1, 0, stream, nullptr, nullptr));
  record("status after the launch", capture_status_name(stream));
  record("fill beyond the end", cu().cuMemsetD8Async(memory, 0, 1 << 30, stream));
  record("status after the fill", capture_status_name(stream));
  record("copy to null", cu().cuMemcpyDtoDAsync(0, memory, 16, stream));
  record("status after the copy", capture_status_name(stream));
  Captured captured(stream);
  record("end", captured.code);
}

TEST_F(Capture, MayBeginOnABusyStream) {
  Stream stream;
  Gate gate;
  gate.close(stream);
  expect("begin", cu().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
         CUDA_SUCCESS);
  Captured captured(stream);
  expect("end", captured.code, CUDA_SUCCESS);
  record("query of the busy stream", cu().cuStreamQuery(stream));
  gate.open();
  stream.synchronize();
}

TEST_F(Capture, ToAGraphThatExists) {
  Stream stream;
  DeviceMemory memory(8);
  CUgraphNode first = nullptr;
  const CUgraph graph = graph_of_store(memory, 1, &first);
  expect("begin",
         cu().cuStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1,
                                          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
         CUDA_SUCCESS);
  must(launch_increment(stream, memory));
  CUgraph ended = nullptr;
  expect("end", cu().cuStreamEndCapture(stream, &ended), CUDA_SUCCESS);
  expect_value("the same graph", ended == graph, true);
  expect_value("nodes", node_count(graph), 2);
  expect_value("edges", edge_count(graph), 1);
  run_once(graph, stream);
  expect_value("result", memory.word(), 2U);
  must(cu().cuGraphDestroy(graph));
}

}  // namespace
}  // namespace loci::cuda_rules
