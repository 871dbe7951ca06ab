#include <cstring>
#include <vector>

#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using Launch = DriverTest;

CUresult launch_empty(unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared = 0) {
  return cu().cuLaunchKernel(kernel("empty"), grid_x, grid_y, grid_z, block_x, block_y, block_z,
                             shared, nullptr, nullptr, nullptr);
}

TEST_F(Launch, SizesHaveBounds) {
  expect("grid x 0", launch_empty(0, 1, 1, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  expect("grid y 0", launch_empty(1, 0, 1, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  expect("block 0", launch_empty(1, 1, 1, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
  expect("1024 threads", launch_empty(1, 1, 1, 1024, 1, 1), CUDA_SUCCESS);
  expect("1025 threads", launch_empty(1, 1, 1, 1025, 1, 1), CUDA_ERROR_INVALID_VALUE);
  expect("32 x 33 threads", launch_empty(1, 1, 1, 32, 33, 1), CUDA_ERROR_INVALID_VALUE);
  expect("block z 65", launch_empty(1, 1, 1, 1, 1, 65), CUDA_ERROR_INVALID_VALUE);
  expect("grid y 65535", launch_empty(1, 65535, 1, 1, 1, 1), CUDA_SUCCESS);
  expect("grid y 65536", launch_empty(1, 65536, 1, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  expect("grid z 65536", launch_empty(1, 1, 65536, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  expect("grid x 2^31", launch_empty(1U << 31, 1, 1, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launch, SharedMemoryHasABound) {
  expect("48 KiB", launch_empty(1, 1, 1, 1, 1, 1, 48 << 10), CUDA_SUCCESS);
  expect("more without asking", launch_empty(1, 1, 1, 1, 1, 1, (48 << 10) + 1),
         CUDA_ERROR_INVALID_VALUE);
  record("more by 1024 KiB", launch_empty(1, 1, 1, 1, 1, 1, 1 << 20));
}

TEST_F(Launch, BoundsOfTheKernel) {
  expect(".maxntid 128 with 128",
         cu().cuLaunchKernel(kernel("bounded"), 1, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr),
         CUDA_SUCCESS);
  expect(".maxntid 128 with 129",
         cu().cuLaunchKernel(kernel("bounded"), 1, 1, 1, 129, 1, 1, 0, nullptr, nullptr, nullptr),
         CUDA_ERROR_INVALID_VALUE);
  expect(".reqntid 64 with 64",
         cu().cuLaunchKernel(kernel("exact"), 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr),
         CUDA_SUCCESS);
  record(".reqntid 64 with 32",
         cu().cuLaunchKernel(kernel("exact"), 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
  record(".reqntid 64 with 128",
         cu().cuLaunchKernel(kernel("exact"), 1, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr));
}

TEST_F(Launch, ThreadsHaveTheirIndices) {
  DeviceMemory memory(4 * 300);
  CUdeviceptr address = memory;
  void* parameters[] = {&address};
  expect("launch",
         cu().cuLaunchKernel(kernel("index"), 3, 1, 1, 100, 1, 1, 0, nullptr, parameters, nullptr),
         CUDA_SUCCESS);
  expect_value("first", memory.word(0), 0U);
  expect_value("last", memory.word(299), 299U);
}

TEST_F(Launch, SharedMemoryWorks) {
  DeviceMemory memory(4);
  CUdeviceptr address = memory;
  std::uint32_t words = 1000;
  void* parameters[] = {&address, &words};
  expect("launch",
         cu().cuLaunchKernel(kernel("dynamic_shared"), 1, 1, 1, 1, 1, 1, 4000, nullptr, parameters,
                             nullptr),
         CUDA_SUCCESS);
  expect_value("sum", memory.word(), 499500U);
}

TEST_F(Launch, ParametersAreCopiedAtTheCall) {
  DeviceMemory memory(4);
  Stream stream;
  CUdeviceptr address = memory;
  std::uint32_t value = 1;
  void* parameters[] = {&address, &value};
  Gate gate;
  gate.close(stream);
  must(cu().cuLaunchKernel(kernel("store"), 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
  value = 2;
  gate.open();
  stream.synchronize();
  expect_value("stored", memory.word(), 1U);
}

TEST_F(Launch, ParametersInABuffer) {
  DeviceMemory memory(4);
  struct Pair {
    CUdeviceptr address;
    std::uint64_t first;
    std::uint32_t second;
    std::uint32_t padding;
  } pair{memory, 40, 2, 0};
  std::size_t bytes = sizeof pair;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &pair, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  expect("launch",
         cu().cuLaunchKernel(kernel("pair"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra),
         CUDA_SUCCESS);
  expect_value("stored", memory.word(), 42U);
  bytes = 8;
  record("a buffer that is too small",
         cu().cuLaunchKernel(kernel("pair"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  bytes = sizeof pair + 64;
  record("a buffer with a size that is too large",
         cu().cuLaunchKernel(kernel("empty"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  bytes = sizeof pair;
  void* parameters[] = {&pair.address, &pair.first};
  expect("both forms",
         cu().cuLaunchKernel(kernel("pair"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, extra),
         CUDA_ERROR_INVALID_VALUE);
  void* unknown[] = {reinterpret_cast<void*>(77), nullptr, CU_LAUNCH_PARAM_END};
  expect("unknown option",
         cu().cuLaunchKernel(kernel("pair"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, unknown),
         CUDA_ERROR_INVALID_VALUE);
  must(cu().cuCtxSynchronize());
}

TEST_F(Launch, WithoutTheParametersItNeeds) {
  expect("neither form",
         cu().cuLaunchKernel(kernel("store"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
         CUDA_ERROR_INVALID_VALUE);
  record("of a null function",
         cu().cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
}

TEST_F(Launch, WithAttributes) {
  DeviceMemory memory(4);
  Stream stream;
  CUdeviceptr address = memory;
  std::uint32_t value = 5;
  void* parameters[] = {&address, &value};
  CUlaunchAttribute attributes[2]{};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attributes[0].value.priority = 0;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_IGNORE;
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  config.attrs = attributes;
  config.numAttrs = 2;
  expect("priority", cu().cuLaunchKernelEx(&config, kernel("store"), parameters, nullptr),
         CUDA_SUCCESS);
  stream.synchronize();
  expect_value("stored", memory.word(), 5U);
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[1].value.cooperative = 1;
  expect("cooperative", cu().cuLaunchKernelEx(&config, kernel("store"), parameters, nullptr),
         CUDA_SUCCESS);
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attributes[1].value.programmaticStreamSerializationAllowed = 1;
  record("programmatic serialisation",
         cu().cuLaunchKernelEx(&config, kernel("store"), parameters, nullptr));
  attributes[1].id = static_cast<CUlaunchAttributeID>(77);
  record("unknown attribute", cu().cuLaunchKernelEx(&config, kernel("store"), parameters, nullptr));
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[1].value.clusterDim = {2, 1, 1};
  config.gridDimX = 3;
  record("clusters that do not divide the grid",
         cu().cuLaunchKernelEx(&config, kernel("store"), parameters, nullptr));
  stream.synchronize();
  expect("null configuration", cu().cuLaunchKernelEx(nullptr, kernel("store"), parameters, nullptr),
         CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launch, CompletionEvents) {
  DeviceMemory memory(4);
  Stream stream;
  Event event(CU_EVENT_DISABLE_TIMING);
  CUdeviceptr address = memory;
  std::uint32_t value = 5;
  void* parameters[] = {&address, &value};
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
  attribute.value.launchCompletionEvent = {event, 0};
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  record("launch", cu().cuLaunchKernelEx(&config, kernel("store"), parameters, nullptr));
  stream.synchronize();
  record("event", cu().cuEventQuery(event));
}

TEST_F(Launch, CooperativeGridsHaveToFit) {
  int blocks = 0;
  must(cu().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("empty"), 1024, 0));
  const auto fits =
      static_cast<unsigned>(blocks * attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  expect(
      "all that fit",
      cu().cuLaunchCooperativeKernel(kernel("empty"), fits, 1, 1, 1024, 1, 1, 0, nullptr, nullptr),
      CUDA_SUCCESS);
  expect("one more",
         cu().cuLaunchCooperativeKernel(kernel("empty"), fits + 1, 1, 1, 1024, 1, 1, 0, nullptr,
                                        nullptr),
         CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  must(cu().cuCtxSynchronize());
}

}  // namespace
}  // namespace loci::cuda_rules
