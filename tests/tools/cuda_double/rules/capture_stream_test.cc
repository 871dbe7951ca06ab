// Fork and join, events, and streams that take no part: rules C of the capture rules.
#include "capture.h"

namespace loci::cuda_rules {
namespace {

using CaptureStream = DriverTest;

TEST_F(CaptureStream, ForkAndJoin) {
  Stream origin;
  Stream side;
  Event forked(CU_EVENT_DISABLE_TIMING);
  Event joined(CU_EVENT_DISABLE_TIMING);
  DeviceMemory memory(12);
  begin_capture(origin);
  must(launch_store(origin, memory, 1));
  fork(origin, side, forked);
  expect_text("side", capture_status_name(side), "active");
  must(launch_store(side, memory + 4, 2));
  must(launch_store(origin, memory + 8, 3));
  fork(side, origin, joined);
  must(launch_increment(origin, memory));
  Captured captured(origin);
  expect("end", captured.code, CUDA_SUCCESS);
  expect_text("side afterwards", capture_status_name(side), "none");
  expect_value("nodes", node_count(captured.graph), 4);
  expect_value("edges", edge_count(captured.graph), 4);
  std::size_t roots = 0;
  must(cu().cuGraphGetRootNodes(captured.graph, nullptr, &roots));
  expect_value("roots", roots, 1);
  run_once(captured.graph, origin);
  expect_value("result", memory.word(0) * 100 + memory.word(1) * 10 + memory.word(2), 223U);
}

TEST_F(CaptureStream, AForkWithoutWorkNeedsNoJoin) {
  Stream origin;
  Stream side;
  Event forked(CU_EVENT_DISABLE_TIMING);
  DeviceMemory memory(4);
  begin_capture(origin);
  must(launch_store(origin, memory, 1));
  fork(origin, side, forked);
  Captured captured(origin);
  record("end", captured.code);
  record("side afterwards", capture_status_name(side));
}

TEST_F(CaptureStream, UnjoinedWork) {
  Stream origin;
  Stream side;
  Event forked(CU_EVENT_DISABLE_TIMING);
  DeviceMemory memory(4);
  begin_capture(origin);
  must(launch_store(origin, memory, 1));
  fork(origin, side, forked);
  must(launch_store(side, memory, 2));
  CUgraph graph = reinterpret_cast<CUgraph>(1);
  expect("end", cu().cuStreamEndCapture(origin, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  record("graph is null", graph == nullptr);
  expect_text("origin afterwards", capture_status_name(origin), "none");
  expect_text("side afterwards", capture_status_name(side), "none");
  expect("launch on the side afterwards", launch_store(side, memory, 3), CUDA_SUCCESS);
  side.synchronize();
}

TEST_F(CaptureStream, EndOnTheForkedStream) {
  Stream origin;
  Stream side;
  Event forked(CU_EVENT_DISABLE_TIMING);
  Event joined(CU_EVENT_DISABLE_TIMING);
  begin_capture(origin);
  fork(origin, side, forked);
  CUgraph graph = nullptr;
  expect("end", cu().cuStreamEndCapture(side, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  record("origin", capture_status_name(origin));
  record("side", capture_status_name(side));
  record("join", cu().cuEventRecord(joined, side));
  record("join waits", cu().cuStreamWaitEvent(origin, joined, 0));
  Captured captured(origin);
  record("end of the origin", captured.code);
}

TEST_F(CaptureStream, TheLastNodeJoinedIsEnough) {
  Stream origin;
  Stream side;
  Event forked(CU_EVENT_DISABLE_TIMING);
  Event joined(CU_EVENT_DISABLE_TIMING);
  DeviceMemory memory(4);
  begin_capture(origin);
  must(launch_store(origin, memory, 1));
  fork(origin, side, forked);
  must(launch_store(side, memory, 2));
  must(cu().cuEventRecord(joined, side));
  must(launch_store(side, memory, 3));  // behind the event that is joined
  must(cu().cuStreamWaitEvent(origin, joined, 0));
  Captured captured(origin);
  expect("work behind the joined event", captured.code, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

TEST_F(CaptureStream, WaitForAnEventOfOutside) {
  Stream capturing;
  Stream outside;
  Event event(CU_EVENT_DISABLE_TIMING);
  must(cu().cuEventRecord(event, outside));
  begin_capture(capturing);
  expect("wait", cu().cuStreamWaitEvent(capturing, event, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  expect_text("capture", capture_status_name(capturing), "invalidated");
  Captured captured(capturing);
  expect("end", captured.code, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(CaptureStream, WaitForAnEventNeverRecorded) {
  Stream capturing;
  Event event(CU_EVENT_DISABLE_TIMING);
  begin_capture(capturing);
  record("wait", cu().cuStreamWaitEvent(capturing, event, 0));
  record("capture", capture_status_name(capturing));
  Captured captured(capturing);
  record("end", captured.code);
}

TEST_F(CaptureStream, ExternalEventsBecomeNodes) {
  Stream capturing;
  Stream outside;
  Event event(CU_EVENT_DISABLE_TIMING);
  must(cu().cuEventRecord(event, outside));
  begin_capture(capturing);
  expect("wait", cu().cuStreamWaitEvent(capturing, event, CU_EVENT_WAIT_EXTERNAL), CUDA_SUCCESS);
  expect("record", cu().cuEventRecordWithFlags(event, capturing, CU_EVENT_RECORD_EXTERNAL),
         CUDA_SUCCESS);

  record("capture", capture_status_name(capturing));
  Captured captured(capturing);
  expect("end", captured.code, CUDA_SUCCESS);
  expect_text("nodes", node_types(captured.graph), "wait record");
  run_once(captured.graph, capturing);
  expect("query afterwards", cu().cuEventQuery(event), CUDA_SUCCESS);
}

TEST_F(CaptureStream, CapturedEventsCanNotBeAsked) {
  for (const auto mode : {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                          CU_STREAM_CAPTURE_MODE_RELAXED}) {
    const std::string of = " " + std::to_string(mode);
    const auto ask = [&](const char* what, const std::function<CUresult(CUevent)>& call) {
      Stream stream;
      Event event;
      begin_capture(stream, mode);
      must(cu().cuEventRecord(event, stream));
      expect(what + of, call(event), CUDA_ERROR_CAPTURED_EVENT);
      record("capture after " + (what + of), capture_status_name(stream));
      Captured captured(stream);
      record("end after " + (what + of), captured.code);
      record(what + of + " when it has ended", call(event));
    };
    ask("query", [](CUevent event) { return cu().cuEventQuery(event); });
    ask("synchronise", [](CUevent event) { return cu().cuEventSynchronize(event); });
    ask("elapsed time", [](CUevent event) {
      float milliseconds = 0;
      return cu().cuEventElapsedTime(&milliseconds, event, event);
    });
  }
}

TEST_F(CaptureStream, CapturedEventAfterTheCapture) {
  Stream stream;
  Stream other;
  Event event(CU_EVENT_DISABLE_TIMING);
  begin_capture(stream);
  must(cu().cuEventRecord(event, stream));
  Captured captured(stream);
  must(captured.code);
  record("another stream waits", cu().cuStreamWaitEvent(other, event, 0));
  record("other", capture_status_name(other));
  expect("recorded again", cu().cuEventRecord(event, other), CUDA_SUCCESS);
  other.synchronize();
  expect("query", cu().cuEventQuery(event), CUDA_SUCCESS);
}

TEST_F(CaptureStream, CapturedEventAfterAFailedCapture) {
  Stream stream;
  Stream other;
  Event event(CU_EVENT_DISABLE_TIMING);
  begin_capture(stream);
  must(cu().cuEventRecord(event, stream));
  cu().cuStreamSynchronize(stream);
  Captured captured(stream);
  record("another stream waits", cu().cuStreamWaitEvent(other, event, 0));
  record("query", cu().cuEventQuery(event));
}

TEST_F(CaptureStream, EdgesBetweenTwoCaptures) {
  Stream first;
  Stream second;
  Event event(CU_EVENT_DISABLE_TIMING);
  begin_capture(first);
  begin_capture(second);
  must(cu().cuEventRecord(event, first));
  expect("wait", cu().cuStreamWaitEvent(second, event, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
  record("first", capture_status_name(first));
  record("second", capture_status_name(second));
  Captured one(first);
  Captured two(second);
  record("end of the first", one.code);
  record("end of the second", two.code);
}

TEST_F(CaptureStream, AStreamWithWorkOfItsOwnJoinsBehindIt) {
  Stream origin;
  Stream side;
  Event forked(CU_EVENT_DISABLE_TIMING);
  Event joined(CU_EVENT_DISABLE_TIMING);
  Gate gate;
  gate.close(side);
  begin_capture(origin);
  record("record", cu().cuEventRecord(forked, origin));
  record("wait", cu().cuStreamWaitEvent(side, forked, 0));
  record("side", capture_status_name(side));
  must(cu().cuEventRecord(joined, side));
  must(cu().cuStreamWaitEvent(origin, joined, 0));
  Captured captured(origin);
  record("end", captured.code);
  gate.open();
  side.synchronize();
}

TEST_F(CaptureStream, TheLegacyStreamBesideABlockingStream) {
  for (const auto mode : {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                          CU_STREAM_CAPTURE_MODE_RELAXED}) {
    Stream blocking(CU_STREAM_DEFAULT);
    DeviceMemory memory(4);
    const std::string of = " " + std::to_string(mode);
    begin_capture(blocking, mode);
    expect("launch on the legacy stream" + of, launch_store(nullptr, memory, 1),
           CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    record("capture" + of, capture_status_name(blocking));
    Captured captured(blocking);
    record("end" + of, captured.code);
  }
}

TEST_F(CaptureStream, LegacyCallsBesideABlockingStream) {
  DeviceMemory memory(64);
  std::uint32_t word = 0;
  Event event;
  const auto beside = [&](const std::string& what, const std::function<CUresult()>& call) {
    Stream blocking(CU_STREAM_DEFAULT);
    begin_capture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED);
    record(what, call());
    record(what + ", capture", capture_status_name(blocking));
    Captured captured(blocking);
    record(what + ", end", captured.code);
  };
  beside("cuMemcpyDtoH", [&] { return cu().cuMemcpyDtoH(&word, memory, 4); });
  beside("cuMemsetD8", [&] { return cu().cuMemsetD8(memory, 0, 4); });
  beside("cuStreamSynchronize of the legacy stream",
         [] { return cu().cuStreamSynchronize(nullptr); });
  beside("cuStreamQuery of the legacy stream", [] { return cu().cuStreamQuery(nullptr); });
  beside("cuEventRecord on the legacy stream", [&] { return cu().cuEventRecord(event, nullptr); });
  beside("cuStreamWaitEvent on the legacy stream",
         [&] { return cu().cuStreamWaitEvent(nullptr, event, 0); });
  beside("cuLaunchHostFunc on the legacy stream", [] {
    return cu().cuLaunchHostFunc(
        nullptr, [](void*) {}, nullptr);
  });
  beside("cuCtxSynchronize", [] { return cu().cuCtxSynchronize(); });
  beside("cuStreamIsCapturing of the legacy stream", [] {
    CUstreamCaptureStatus status{};
    return cu().cuStreamIsCapturing(nullptr, &status);
  });
  beside("cuMemAlloc and cuMemFree", [] {
    CUdeviceptr address = 0;
    const CUresult code = cu().cuMemAlloc(&address, 16);
    return code == CUDA_SUCCESS ? cu().cuMemFree(address) : code;
  });
}

TEST_F(CaptureStream, QuestionsOfTheCapturingStream) {
  const auto ask = [&](const std::string& what, const std::function<CUresult(CUstream)>& call) {
    for (const auto mode : {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                            CU_STREAM_CAPTURE_MODE_RELAXED}) {
      const std::string where = what + " " + std::to_string(mode);
      Stream stream;
      begin_capture(stream, mode);
      record(where, call(stream));
      record(where + ", capture", capture_status_name(stream));
      Captured captured(stream);
      record(where + ", end", captured.code);
    }
  };
  ask("cuStreamQuery", [](CUstream stream) { return cu().cuStreamQuery(stream); });
  ask("cuStreamSynchronize", [](CUstream stream) { return cu().cuStreamSynchronize(stream); });
  ask("cuStreamGetFlags", [](CUstream stream) {
    unsigned flags = 0;
    return cu().cuStreamGetFlags(stream, &flags);
  });
  ask("cuStreamAddCallback", [](CUstream stream) {
    return cu().cuStreamAddCallback(
        stream, [](CUstream, CUresult, void*) {}, nullptr, 0);
  });
}

TEST_F(CaptureStream, EventReRecordedInTheCapture) {
  Stream origin;
  Stream side;
  Event event(CU_EVENT_DISABLE_TIMING);
  DeviceMemory memory(8);
  begin_capture(origin);
  must(launch_store(origin, memory, 1));
  fork(origin, side, event);
  must(launch_store(side, memory + 4, 1));
  fork(side, origin, event);  // the same event, recorded again
  must(launch_store(origin, memory, 2));
  Captured captured(origin);
  expect("end", captured.code, CUDA_SUCCESS);
  expect_value("edges, with those that are implied", edge_count(captured.graph), 3);
}

TEST_F(CaptureStream, DestroyedEventKeepsItsEdge) {
  Stream origin;
  Stream side;
  CUevent event = nullptr;
  DeviceMemory memory(8);
  begin_capture(origin);
  must(launch_store(origin, memory, 1));
  must(cu().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  fork(origin, side, event);
  expect("destroy", cu().cuEventDestroy(event), CUDA_SUCCESS);
  must(launch_store(side, memory + 4, 1));
  Event joined(CU_EVENT_DISABLE_TIMING);
  fork(side, origin, joined);
  Captured captured(origin);
  expect("end", captured.code, CUDA_SUCCESS);
  expect_value("edges", edge_count(captured.graph), 1);
}

}  // namespace
}  // namespace loci::cuda_rules
