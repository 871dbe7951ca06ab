// Memory in captures: copies of pageable memory, and allocations that become nodes.
#include <vector>

#include "capture.h"

namespace loci::cuda_rules {
namespace {

using CaptureMemory = DriverTest;

TEST_F(CaptureMemory, CopiesFromPageableMemory) {
  Stream stream;
  DeviceMemory memory(4096);
  std::vector<std::uint8_t> host(4096, 1);
  begin_capture(stream);
  const CUresult code = cu().cuMemcpyHtoDAsync(memory, host.data(), 4096, stream);
  record("copy to the device", code);
  record("capture", capture_status_name(stream));
  Captured captured(stream);
  record("end", captured.code);
  if (captured.graph == nullptr) return;
  record("nodes", node_types(captured.graph));
  std::fill(host.begin(), host.end(), 2);
  run_once(captured.graph, stream);
  record("value, 1 of the capture, 2 of the launch", memory.byte(4095));
}

TEST_F(CaptureMemory, CopiesToPageableMemory) {
  Stream stream;
  DeviceMemory memory(4096);
  std::vector<std::uint8_t> host(4096, 1);
  begin_capture(stream);
  record("copy to the host", cu().cuMemcpyDtoHAsync(host.data(), memory, 4096, stream));
  record("capture", capture_status_name(stream));
  Captured captured(stream);
  record("end", captured.code);
  if (captured.graph == nullptr) return;
  run_once(captured.graph, stream);
  record("value, 0 where it was copied", host[4095]);
}

TEST_F(CaptureMemory, PlainCopyOnTheCapturingThread) {
  Stream stream;
  DeviceMemory memory(16);
  std::uint32_t word = 0;
  begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  record("cuMemcpyDtoH", cu().cuMemcpyDtoH(&word, memory, 4));
  record("capture", capture_status_name(stream));
  Captured captured(stream);
  record("end", captured.code);
}

TEST_F(CaptureMemory, AllocationBecomesANode) {
  Stream stream;
  CUdeviceptr address = 0;
  begin_capture(stream);
  expect("allocate", cu().cuMemAllocAsync(&address, 4096, stream), CUDA_SUCCESS);
  EXPECT_NE(address, 0u);
  must(launch_store(stream, address, 6));
  expect("free", cu().cuMemFreeAsync(address, stream), CUDA_SUCCESS);
  Captured captured(stream);
  expect("end", captured.code, CUDA_SUCCESS);
  expect_text("nodes", node_types(captured.graph), "alloc kernel free");
  CUgraphExec exec = nullptr;
  expect("instantiate", cu().cuGraphInstantiate(&exec, captured.graph, 0), CUDA_SUCCESS);
  CUgraphExec second = nullptr;
  record("instantiate twice", cu().cuGraphInstantiate(&second, captured.graph, 0));
  CUgraph clone = nullptr;
  record("clone", cu().cuGraphClone(&clone, captured.graph));
  expect("launch", cu().cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  expect("launch again", cu().cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  stream.synchronize();
  must(cu().cuGraphExecDestroy(exec));
}

TEST_F(CaptureMemory, AllocationThatIsNotFreed) {
  Stream stream;
  CUdeviceptr address = 0;
  begin_capture(stream);
  must(cu().cuMemAllocAsync(&address, 4096, stream));
  must(launch_store(stream, address, 6));
  Captured captured(stream);
  must(captured.code);
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, captured.graph, 0));
  must(cu().cuGraphLaunch(exec, stream));
  expect("launch again before it is freed", cu().cuGraphLaunch(exec, stream),
         CUDA_ERROR_INVALID_VALUE);
  std::uint32_t word = 0;
  must(cu().cuMemcpyDtoHAsync(&word, address, 4, stream));
  stream.synchronize();
  expect_value("value", word, 6U);
  expect("free outside", cu().cuMemFreeAsync(address, stream), CUDA_SUCCESS);
  expect("launch after that", cu().cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  must(cu().cuMemFreeAsync(address, stream));
  stream.synchronize();
  must(cu().cuGraphExecDestroy(exec));
  must(cu().cuGraphInstantiate(&exec, captured.graph,
                               CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
  must(cu().cuGraphLaunch(exec, stream));
  expect("launch again that frees", cu().cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  must(cu().cuMemFreeAsync(address, stream));
  stream.synchronize();
  must(cu().cuGraphExecDestroy(exec));
}

TEST_F(CaptureMemory, FreeOfMemoryOfOutside) {
  Stream stream;
  CUdeviceptr address = 0;
  must(cu().cuMemAllocAsync(&address, 4096, stream));
  stream.synchronize();
  begin_capture(stream);
  record("free", cu().cuMemFreeAsync(address, stream));
  record("capture", capture_status_name(stream));
  Captured captured(stream);
  record("end", captured.code);
  if (captured.graph != nullptr) record("nodes", node_types(captured.graph));
  must(cu().cuMemFreeAsync(address, stream));
  stream.synchronize();
}

}  // namespace
}  // namespace loci::cuda_rules
