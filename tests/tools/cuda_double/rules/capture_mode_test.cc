// The three modes, and what each thread may do: rules B of the capture rules.
#include "capture.h"

namespace loci::cuda_rules {
namespace {

using CaptureMode = DriverTest;

constexpr CUstreamCaptureMode kModes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
                                          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                          CU_STREAM_CAPTURE_MODE_RELAXED};

const char* name(CUstreamCaptureMode mode) {
  return mode == CU_STREAM_CAPTURE_MODE_GLOBAL    ? "global"
         : mode == CU_STREAM_CAPTURE_MODE_RELAXED ? "relaxed"
                                                  : "thread_local";
}

CUresult allocate_and_free() {
  CUdeviceptr address = 0;
  const CUresult code = cu().cuMemAlloc(&address, 4096);
  if (code == CUDA_SUCCESS) cu().cuMemFree(address);
  return code;
}

// Records what the call answers while a capture of each mode is underway, on the thread that
// captures and on another, and what becomes of the capture.
void in_each_mode(CUcontext context, const std::string& what,
                  const std::function<CUresult()>& call) {
  for (const auto mode : kModes) {
    for (const bool same_thread : {true, false}) {
      Stream stream;
      begin_capture(stream, mode);
      const std::string where =
          what + ", " + name(mode) + (same_thread ? ", same thread" : ", another thread");
      if (same_thread) {
        record(where, call());
      } else {
        on_another_thread(context, [&] { record(where, call()); });
      }
      record(where + ", capture", capture_status_name(stream));
      Captured captured(stream);
      record(where + ", end", captured.code);
    }
  }
}

TEST_F(CaptureMode, GlobalForbidsUnsafeCallsOfAllThreads) {
  Stream stream;
  begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  on_another_thread(context(), [] {
    expect("another thread", allocate_and_free(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  });
  record("capture", capture_status_name(stream));
  Captured captured(stream);
  record("end", captured.code);
}

TEST_F(CaptureMode, ThreadLocalForbidsThoseOfTheThread) {
  Stream stream;
  begin_capture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  on_another_thread(context(), [] { expect("another thread", allocate_and_free(), CUDA_SUCCESS); });
  expect_text("capture", capture_status_name(stream), "active");
  expect("same thread", allocate_and_free(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  record("capture after it", capture_status_name(stream));
  Captured captured(stream);
  record("end", captured.code);
}

TEST_F(CaptureMode, RelaxedAllowsAll) {
  Stream stream;
  begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  expect("same thread", allocate_and_free(), CUDA_SUCCESS);
  on_another_thread(context(), [] { expect("another thread", allocate_and_free(), CUDA_SUCCESS); });
  Captured captured(stream);
  expect("end", captured.code, CUDA_SUCCESS);
}

TEST_F(CaptureMode, ExchangeIsOfTheThread) {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  expect("exchange", cu().cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  expect_text("a thread begins with", name(mode), "global");
  Stream stream;
  begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  expect("relaxed, in a global capture", allocate_and_free(), CUDA_SUCCESS);
  on_another_thread(context(), [] {
    CUstreamCaptureMode own = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    must(cu().cuThreadExchangeStreamCaptureMode(&own));
    expect_text("another thread begins with", name(own), "global");
    record("thread_local on another thread, in a global capture", allocate_and_free());
  });
  mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  must(cu().cuThreadExchangeStreamCaptureMode(&mode));
  expect_text("what it was", name(mode), "relaxed");
  record("capture", capture_status_name(stream));
  Captured captured(stream);
  record("end", captured.code);
}

TEST_F(CaptureMode, IsThatOfBeginAndLeavesTheThreadsOwn) {
  Stream stream;
  begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  Captured captured(stream);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  must(cu().cuThreadExchangeStreamCaptureMode(&mode));
  expect_text("mode of the thread", name(mode), "global");
}

// Two captures on one thread of different modes: which of them forbids.
TEST_F(CaptureMode, TheStrictestCaptureCounts) {
  Stream relaxed;
  Stream local;
  begin_capture(relaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
  begin_capture(local, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  record("allocation", allocate_and_free());
  record("relaxed capture", capture_status_name(relaxed));
  record("thread_local capture", capture_status_name(local));
  Captured one(relaxed);
  Captured two(local);
  record("end of the relaxed one", one.code);
  record("end of the thread_local one", two.code);
}

TEST_F(CaptureMode, CuMemAlloc) { in_each_mode(context(), "cuMemAlloc", allocate_and_free); }

TEST_F(CaptureMode, CuMemFreeOfNull) {
  in_each_mode(context(), "cuMemFree of null", [] { return cu().cuMemFree(0); });
}

TEST_F(CaptureMode, CuMemAllocHost) {
  in_each_mode(context(), "cuMemAllocHost", [] {
    void* data = nullptr;
    const CUresult code = cu().cuMemAllocHost(&data, 4096);
    if (code == CUDA_SUCCESS) cu().cuMemFreeHost(data);
    return code;
  });
}

TEST_F(CaptureMode, CuMemHostRegister) {
  in_each_mode(context(), "cuMemHostRegister", [] {
    static char pages[8192];
    const CUresult code = cu().cuMemHostRegister(pages, sizeof pages, 0);
    if (code == CUDA_SUCCESS) cu().cuMemHostUnregister(pages);
    return code;
  });
}

TEST_F(CaptureMode, CuMemGetInfo) {
  in_each_mode(context(), "cuMemGetInfo", [] {
    std::size_t free = 0;
    std::size_t total = 0;
    return cu().cuMemGetInfo(&free, &total);
  });
}

TEST_F(CaptureMode, CuCtxSynchronize) {
  in_each_mode(context(), "cuCtxSynchronize", [] { return cu().cuCtxSynchronize(); });
}

TEST_F(CaptureMode, CuStreamCreate) {
  in_each_mode(context(), "cuStreamCreate", [] {
    CUstream stream = nullptr;
    const CUresult code = cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    if (code == CUDA_SUCCESS) cu().cuStreamDestroy(stream);
    return code;
  });
}

TEST_F(CaptureMode, CuEventCreate) {
  in_each_mode(context(), "cuEventCreate", [] {
    CUevent event = nullptr;
    const CUresult code = cu().cuEventCreate(&event, 0);
    if (code == CUDA_SUCCESS) cu().cuEventDestroy(event);
    return code;
  });
}

TEST_F(CaptureMode, QueryOfAnEventOfAnotherStream) {
  Event event;
  Stream other;
  must(cu().cuEventRecord(event, other));
  other.synchronize();
  in_each_mode(context(), "cuEventQuery", [&] { return cu().cuEventQuery(event); });
  in_each_mode(context(), "cuEventSynchronize", [&] { return cu().cuEventSynchronize(event); });
}

TEST_F(CaptureMode, QueryOfAnotherStream) {
  Stream other;
  in_each_mode(context(), "cuStreamQuery", [&] { return cu().cuStreamQuery(other); });
  in_each_mode(context(), "cuStreamSynchronize", [&] { return cu().cuStreamSynchronize(other); });
}

TEST_F(CaptureMode, PlainCopiesAndFills) {
  DeviceMemory memory(64);
  std::uint32_t word = 0;
  in_each_mode(context(), "cuMemcpyDtoH", [&] { return cu().cuMemcpyDtoH(&word, memory, 4); });
  in_each_mode(context(), "cuMemcpyHtoD", [&] { return cu().cuMemcpyHtoD(memory, &word, 4); });
  in_each_mode(context(), "cuMemsetD8", [&] { return cu().cuMemsetD8(memory, 0, 4); });
}

TEST_F(CaptureMode, TheLegacyStream) {
  DeviceMemory memory(64);
  in_each_mode(context(), "launch on the legacy stream",
               [&] { return launch_store(nullptr, memory, 1); });
  in_each_mode(context(), "cuStreamSynchronize of the legacy stream",
               [] { return cu().cuStreamSynchronize(nullptr); });
}

TEST_F(CaptureMode, Modules) {
  in_each_mode(context(), "cuModuleLoadData", [] {
    CUmodule module = nullptr;
    const CUresult code = cu().cuModuleLoadData(
        &module, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n");
    if (code == CUDA_SUCCESS) cu().cuModuleUnload(module);
    return code;
  });
}

TEST_F(CaptureMode, StreamOrderedAllocationElsewhere) {
  Stream other;
  in_each_mode(context(), "cuMemAllocAsync on another stream", [&] {
    CUdeviceptr address = 0;
    const CUresult code = cu().cuMemAllocAsync(&address, 4096, other);
    if (code == CUDA_SUCCESS) cu().cuMemFreeAsync(address, other);
    return code;
  });
}

TEST_F(CaptureMode, GraphFunctions) {
  Stream stream;
  DeviceMemory memory(4);
  const CUgraph graph = graph_of_store(memory, 1);
  in_each_mode(context(), "cuGraphInstantiate", [&] {
    CUgraphExec exec = nullptr;
    const CUresult code = cu().cuGraphInstantiate(&exec, graph, 0);
    if (code == CUDA_SUCCESS) cu().cuGraphExecDestroy(exec);
    return code;
  });
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  in_each_mode(context(), "cuGraphLaunch on another stream",
               [&] { return cu().cuGraphLaunch(exec, stream); });
  in_each_mode(context(), "cuGraphUpload on another stream",
               [&] { return cu().cuGraphUpload(exec, stream); });
  stream.synchronize();
  must(cu().cuGraphExecDestroy(exec));
  must(cu().cuGraphDestroy(graph));
}

}  // namespace
}  // namespace loci::cuda_rules
