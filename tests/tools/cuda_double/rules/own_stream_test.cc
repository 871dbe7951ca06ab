// The functions for streams of threads, by the names that programs compiled with
// CUDA_API_PER_THREAD_DEFAULT_STREAM have.
#include <dlfcn.h>

#include <string>

#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using OwnStream = DriverTest;

// The exported function; its type is that of the plain one.
template <typename Function>
Function* exported(const char* name, Function* /*plain*/) {
  auto* found = reinterpret_cast<Function*>(dlsym(driver().library, name));
  EXPECT_NE(found, nullptr) << name;
  return found;
}

TEST_F(OwnStream, AreExported) {
  std::string missing;
  for (const char* name :
       {"cuEventRecordWithFlags_ptsz", "cuGraphInstantiateWithParams_ptsz", "cuGraphLaunch_ptsz",
        "cuLaunchCooperativeKernel_ptsz", "cuLaunchKernelEx_ptsz", "cuMemAllocFromPoolAsync_ptsz",
        "cuMemcpy3DAsync_v2_ptsz", "cuMemcpy3D_v2_ptds", "cuMemcpyPeer_ptds",
        "cuStreamGetCaptureInfo_v2_ptsz", "cuStreamGetCaptureInfo_v3_ptsz",
        "cuStreamUpdateCaptureDependencies_v2_ptsz"}) {
    if (dlsym(driver().library, name) == nullptr) missing += std::string(name) + " ";
  }
  expect_text("missing", missing, "");
}

TEST_F(OwnStream, QueryAndSynchronise) {
  const auto query = exported("cuStreamQuery_ptsz", cu().cuStreamQuery);
  const auto synchronize = exported("cuStreamSynchronize_ptsz", cu().cuStreamSynchronize);
  Gate gate;
  gate.close(CU_STREAM_PER_THREAD);
  expect("held", query(nullptr), CUDA_ERROR_NOT_READY);
  gate.open();
  expect("synchronize", synchronize(nullptr), CUDA_SUCCESS);
  expect("done", query(nullptr), CUDA_SUCCESS);
}

TEST_F(OwnStream, NamedStreamsAreThemselves) {
  const auto query = exported("cuStreamQuery_ptsz", cu().cuStreamQuery);
  Stream stream;
  Gate gate;
  gate.close(CU_STREAM_PER_THREAD);
  expect("another stream", query(stream), CUDA_SUCCESS);
  expect("the thread's stream by name", query(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
  gate.open();
  must(cu().cuCtxSynchronize());
}

TEST_F(OwnStream, LaunchesGoBehindTheThreadsWork) {
  const auto launch = exported("cuLaunchKernel_ptsz", cu().cuLaunchKernel);
  DeviceMemory memory(64);
  CUdeviceptr address = memory;
  std::uint32_t value = 7;
  void* parameters[] = {&address, &value};
  Gate gate;
  gate.close(CU_STREAM_PER_THREAD);
  expect("launch", launch(kernel("store"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
         CUDA_SUCCESS);
  gate.open();
  must(cu().cuStreamSynchronize(CU_STREAM_PER_THREAD));
  expect_value("stored", memory.word(), 7);
}

TEST_F(OwnStream, FillsAndCopiesGoBehindTheThreadsWork) {
  const auto fill = exported("cuMemsetD2D32Async_ptsz", cu().cuMemsetD2D32Async);
  const auto copy = exported("cuMemcpyDtoDAsync_v2_ptsz", cu().cuMemcpyDtoDAsync);
  DeviceMemory from(64);
  DeviceMemory to(64);
  Gate gate;
  gate.close(CU_STREAM_PER_THREAD);
  expect("fill", fill(from, 16, 5, 2, 2, nullptr), CUDA_SUCCESS);
  expect("copy", copy(to, from, 64, nullptr), CUDA_SUCCESS);
  expect("held", cu().cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
  gate.open();
  must(cu().cuStreamSynchronize(CU_STREAM_PER_THREAD));
  expect_value("second row", to.word(5), 5);
}

TEST_F(OwnStream, BlockingCopiesWaitForTheThreadsWork) {
  const auto copy = exported("cuMemcpyDtoH_v2_ptds", cu().cuMemcpyDtoH);
  DeviceMemory memory(64);
  std::uint32_t seen = 0;
  must(launch_store(CU_STREAM_PER_THREAD, memory, 9));
  expect("copy", copy(&seen, memory, sizeof seen), CUDA_SUCCESS);
  expect_value("seen", seen, 9);
}

TEST_F(OwnStream, EventsAndCapturesAreOfTheThread) {
  const auto record_event = exported("cuEventRecord_ptsz", cu().cuEventRecord);
  const auto begin = exported("cuStreamBeginCapture_v2_ptsz", cu().cuStreamBeginCapture);
  const auto end = exported("cuStreamEndCapture_ptsz", cu().cuStreamEndCapture);
  Event event;
  Gate gate;
  gate.close(CU_STREAM_PER_THREAD);
  expect("record", record_event(event, nullptr), CUDA_SUCCESS);
  expect("not reached", cu().cuEventQuery(event), CUDA_ERROR_NOT_READY);
  gate.open();
  must(cu().cuEventSynchronize(event));
  // The legacy stream cannot be captured.
  expect("begin", begin(nullptr, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  expect("end", end(nullptr, &graph), CUDA_SUCCESS);
  must(cu().cuGraphDestroy(graph));
}

}  // namespace
}  // namespace loci::cuda_rules
