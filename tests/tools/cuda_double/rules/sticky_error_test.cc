// Errors of kernels, which leave the context unusable: each test has a process of its own.
#include "driver_test.h"
#include "kernels.h"

namespace loci::cuda_rules {
namespace {

class StickyErrorFresh : public DriverTest {
 protected:
  void TearDown() override {}  // the context is lost
};

// The function was found before: asking for it fails once the context has an error.
CUresult launch_at(CUstream stream, CUdeviceptr address) {
  static const CUfunction store = kernel("store");
  std::uint32_t value = 1;
  void* parameters[] = {&address, &value};
  return cu().cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
}

// Records what calls answer on a context that an error has ended.
void record_what_is_left(CUstream stream, CUevent event, CUdeviceptr memory) {
  record("cuStreamSynchronize again", cu().cuStreamSynchronize(stream));
  record("cuStreamQuery", cu().cuStreamQuery(stream));
  record("cuCtxSynchronize", cu().cuCtxSynchronize());
  CUdeviceptr address = 0;
  record("cuMemAlloc", cu().cuMemAlloc(&address, 16));
  record("cuMemFree", cu().cuMemFree(memory));
  record("cuMemFree of null", cu().cuMemFree(0));
  std::uint32_t word = 0;
  record("cuMemcpyDtoH", cu().cuMemcpyDtoH(&word, memory, 4));
  record("launch", launch_at(stream, memory));
  record("cuEventRecord", cu().cuEventRecord(event, stream));
  record("cuEventQuery", cu().cuEventQuery(event));
  record("cuEventSynchronize", cu().cuEventSynchronize(event));
  CUstream another = nullptr;
  record("cuStreamCreate", cu().cuStreamCreate(&another, 0));
  CUevent other = nullptr;
  record("cuEventCreate", cu().cuEventCreate(&other, 0));
  CUcontext current = nullptr;
  record("cuCtxGetCurrent", cu().cuCtxGetCurrent(&current));
  std::size_t free = 0;
  std::size_t total = 0;
  record("cuMemGetInfo", cu().cuMemGetInfo(&free, &total));
  void* pinned = nullptr;
  record("cuMemAllocHost", cu().cuMemAllocHost(&pinned, 16));
  CUgraph graph = nullptr;
  record("cuGraphCreate", cu().cuGraphCreate(&graph, 0));
  record("cuEventDestroy", cu().cuEventDestroy(event));
  record("cuStreamDestroy", cu().cuStreamDestroy(stream));
  CUcontext again = nullptr;
  record("retain", cu().cuDevicePrimaryCtxRetain(&again, 0));
  CUcontext own = nullptr;
  record("cuCtxCreate", cu().cuCtxCreate(&own, nullptr, 0, 0));
  record("cuDevicePrimaryCtxReset", cu().cuDevicePrimaryCtxReset(0));
  record("cuMemAlloc after reset", cu().cuMemAlloc(&address, 16));
  record("retain after reset", cu().cuDevicePrimaryCtxRetain(&again, 0));
  record("set current", cu().cuCtxSetCurrent(again));
  record("cuMemAlloc in the next", cu().cuMemAlloc(&address, 16));
}

struct Objects {
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUdeviceptr memory = 0;
  Objects() {
    must(cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    must(cu().cuEventCreate(&event, 0));
    must(cu().cuMemAlloc(&memory, 4096));
  }
};

TEST_F(StickyErrorFresh, IllegalAddress) {
  Objects objects;
  expect("the launch itself", launch_at(objects.stream, 0x10), CUDA_SUCCESS);
  expect("cuStreamSynchronize", cu().cuStreamSynchronize(objects.stream),
         CUDA_ERROR_ILLEGAL_ADDRESS);
  record_what_is_left(objects.stream, objects.event, objects.memory);
}

TEST_F(StickyErrorFresh, MisalignedAddress) {
  Objects objects;
  expect("the launch itself", launch_at(objects.stream, objects.memory + 1), CUDA_SUCCESS);
  expect("cuStreamSynchronize", cu().cuStreamSynchronize(objects.stream),
         CUDA_ERROR_MISALIGNED_ADDRESS);
  CUdeviceptr address = 0;
  expect("cuMemAlloc", cu().cuMemAlloc(&address, 16), CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST_F(StickyErrorFresh, TrapInstruction) {
  Objects objects;
  must(cu().cuLaunchKernel(kernel("trap"), 1, 1, 1, 1, 1, 1, 0, objects.stream, nullptr, nullptr));
  const CUresult code = cu().cuStreamSynchronize(objects.stream);
  expect_one_of("cuStreamSynchronize", code,
                {CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_ILLEGAL_INSTRUCTION});
  expect("the context too", cu().cuCtxSynchronize(), code);
}

TEST_F(StickyErrorFresh, Assertion) {
  Objects objects;
  CUmodule module = nullptr;
  must(cu().cuModuleLoadData(&module, kAssertKernel));
  CUfunction function = nullptr;
  must(cu().cuModuleGetFunction(&function, module, "fail"));
  must(cu().cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, objects.stream, nullptr, nullptr));
  expect("cuStreamSynchronize", cu().cuStreamSynchronize(objects.stream), CUDA_ERROR_ASSERT);
  CUdeviceptr address = 0;
  expect("cuMemAlloc", cu().cuMemAlloc(&address, 16), CUDA_ERROR_ASSERT);
}

TEST_F(StickyErrorFresh, IsSeenByAnEvent) {
  Objects objects;
  must(launch_at(objects.stream, 0x10));
  // The kernel may have failed by now.
  const CUresult recorded = cu().cuEventRecord(objects.event, objects.stream);
  if (recorded != CUDA_SUCCESS) {
    return expect("cuEventRecord", recorded, CUDA_ERROR_ILLEGAL_ADDRESS);
  }
  expect("cuEventSynchronize", cu().cuEventSynchronize(objects.event), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(StickyErrorFresh, IsSeenByTheNextBlockingCopy) {
  Objects objects;
  must(launch_at(nullptr, 0x10));
  std::uint32_t word = 0;
  expect("cuMemcpyDtoH", cu().cuMemcpyDtoH(&word, objects.memory, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(StickyErrorFresh, IsSeenByALaunchAfterItHappened) {
  Objects objects;
  must(launch_at(objects.stream, 0x10));
  CUresult code = CUDA_SUCCESS;
  for (int tries = 0; tries < 100'000'000 && code == CUDA_SUCCESS; ++tries) {
    code = cu().cuStreamQuery(objects.stream);
    if (code == CUDA_ERROR_NOT_READY)
      code = CUDA_SUCCESS;
    else if (code == CUDA_SUCCESS)
      break;
  }
  expect("cuStreamQuery", code, CUDA_ERROR_ILLEGAL_ADDRESS);
  expect("the next launch", launch_at(objects.stream, objects.memory), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(StickyErrorFresh, HostFunctionsBehindIt) {
  Objects objects;
  bool ran = false;
  CUresult status = CUDA_ERROR_UNKNOWN;
  must(launch_at(objects.stream, 0x10));
  record("enqueue a function",
         cu().cuLaunchHostFunc(
             objects.stream, [](void* flag) { *static_cast<bool*>(flag) = true; }, &ran));
  record("enqueue a callback",
         cu().cuStreamAddCallback(
             objects.stream,
             [](CUstream, CUresult code, void* to) { *static_cast<CUresult*>(to) = code; }, &status,
             0));
  expect("cuStreamSynchronize", cu().cuStreamSynchronize(objects.stream),
         CUDA_ERROR_ILLEGAL_ADDRESS);
  record("function ran", ran);
  record("status for the callback", status);
}

TEST_F(StickyErrorFresh, InAGraph) {
  Objects objects;
  const CUgraph graph = graph_of_store(0x10, 1);
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  expect("launch", cu().cuGraphLaunch(exec, objects.stream), CUDA_SUCCESS);
  expect("cuStreamSynchronize", cu().cuStreamSynchronize(objects.stream),
         CUDA_ERROR_ILLEGAL_ADDRESS);
  record("cuGraphExecDestroy", cu().cuGraphExecDestroy(exec));
  record("cuGraphDestroy", cu().cuGraphDestroy(graph));
}

TEST_F(StickyErrorFresh, WriteToFreedMemory) {
  Objects objects;
  CUdeviceptr freed = 0;
  must(cu().cuMemAlloc(&freed, 256 << 20));
  must(cu().cuMemFree(freed));
  must(launch_at(objects.stream, freed + (100 << 20)));
  expect("cuStreamSynchronize", cu().cuStreamSynchronize(objects.stream),
         CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(StickyErrorFresh, TwoContextsAndOneError) {
  CUcontext own = nullptr;
  must(cu().cuCtxCreate(&own, nullptr, 0, device()));
  must(cu().cuCtxSetCurrent(context()));
  Objects objects;
  must(launch_at(objects.stream, 0x10));
  expect("in the first", cu().cuStreamSynchronize(objects.stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  must(cu().cuCtxSetCurrent(own));
  CUdeviceptr address = 0;
  record("in the second", cu().cuMemAlloc(&address, 16));
}

}  // namespace
}  // namespace loci::cuda_rules
