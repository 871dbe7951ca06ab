#include <vector>

#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using Copy2D = DriverTest;

CUDA_MEMCPY2D host_to_device(const void* host, std::size_t host_pitch, CUdeviceptr device,
                             std::size_t device_pitch, std::size_t width, std::size_t height) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.srcPitch = host_pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = device;
  copy.dstPitch = device_pitch;
  copy.WidthInBytes = width;
  copy.Height = height;
  return copy;
}

TEST_F(Copy2D, MovesAPartWithOffsets) {
  std::vector<std::uint8_t> host(20 * 10);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::uint8_t>(i);
  DeviceMemory memory(32 * 10);
  auto copy = host_to_device(host.data(), 20, memory, 32, 5, 3);
  copy.srcXInBytes = 2;
  copy.srcY = 1;
  copy.dstXInBytes = 4;
  copy.dstY = 2;
  expect("cuMemcpy2D", cu().cuMemcpy2D(&copy), CUDA_SUCCESS);
  expect_value("first", memory.byte(2 * 32 + 4), 22);
  expect_value("last", memory.byte(4 * 32 + 8), 66);
  expect_value("before the first", memory.byte(2 * 32 + 3), 0);
  expect_value("behind the last", memory.byte(4 * 32 + 9), 0);
}

TEST_F(Copy2D, OddPitches) {
  std::vector<std::uint8_t> host(7 * 5, 3);
  DeviceMemory memory(11 * 5);
  auto copy = host_to_device(host.data(), 7, memory, 11, 7, 5);
  expect("unaligned", cu().cuMemcpy2DUnaligned(&copy), CUDA_SUCCESS);
  expect_value("last", memory.byte(4 * 11 + 6), 3);
  expect_value("between rows", memory.byte(7), 0);
  expect("cuMemcpy2D", cu().cuMemcpy2D(&copy), CUDA_SUCCESS);
  CUDA_MEMCPY2D on_device{};
  DeviceMemory other(13 * 5);
  on_device.srcMemoryType = on_device.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  on_device.srcDevice = memory;
  on_device.srcPitch = 11;
  on_device.dstDevice = other;
  on_device.dstPitch = 13;
  on_device.WidthInBytes = 7;
  on_device.Height = 5;
  record("on the device", cu().cuMemcpy2D(&on_device));
  expect("on the device unaligned", cu().cuMemcpy2DUnaligned(&on_device), CUDA_SUCCESS);
  expect_value("last on the device", other.byte(4 * 13 + 6), 3);
}

TEST_F(Copy2D, Errors) {
  std::vector<std::uint8_t> host(64);
  DeviceMemory memory(64);
  auto copy = host_to_device(host.data(), 4, memory, 8, 8, 2);
  expect("pitch less than width", cu().cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
  copy = host_to_device(host.data(), 8, memory, 8, 8, 0);
  record("no rows", cu().cuMemcpy2D(&copy));
  copy = host_to_device(host.data(), 8, memory, 8, 0, 2);
  record("no width", cu().cuMemcpy2D(&copy));
  copy = host_to_device(host.data(), 0, memory, 0, 8, 1);
  record("pitch 0 for one row", cu().cuMemcpy2D(&copy));
  copy = host_to_device(host.data(), 8, memory, 8, 8, 100);
  expect("beyond the end", cu().cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.srcMemoryType = static_cast<CUmemorytype>(9);
  expect("unknown type", cu().cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
  expect("null", cu().cuMemcpy2D(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Copy2D, AsynchronouslyFromPinnedMemory) {
  PinnedMemory pinned(64 * 64);
  DeviceMemory memory(64 * 64);
  Stream stream;
  Gate gate;
  gate.close(stream);
  auto copy = host_to_device(pinned.data(), 64, memory, 64, 32, 64);
  expect_text(
      "returns",
      blocks_until_open(gate, context(), [&] { must(cu().cuMemcpy2DAsync(&copy, stream)); }),
      "returns");
  stream.synchronize();
}

TEST_F(Copy2D, UnifiedTypeFindsThePlace) {
  std::vector<std::uint8_t> host(64, 8);
  DeviceMemory memory(64);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = reinterpret_cast<CUdeviceptr>(host.data());
  copy.dstDevice = memory;
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = 8;
  copy.Height = 8;
  expect("cuMemcpy2D", cu().cuMemcpy2D(&copy), CUDA_SUCCESS);
  expect_value("last", memory.byte(63), 8);
}

TEST_F(Copy2D, ThreeDimensions) {
  std::vector<std::uint8_t> host(4 * 4 * 4);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::uint8_t>(i);
  DeviceMemory memory(64);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host.data();
  copy.srcPitch = copy.dstPitch = 4;
  copy.srcHeight = copy.dstHeight = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.WidthInBytes = 2;
  copy.Height = 2;
  copy.Depth = 2;
  copy.srcXInBytes = copy.srcY = copy.srcZ = 1;
  expect("cuMemcpy3D", cu().cuMemcpy3D(&copy), CUDA_SUCCESS);
  expect_value("first", memory.byte(0), 21);
  expect_value("last", memory.byte(16 + 4 + 1), 21 + 16 + 4 + 1);
}

}  // namespace
}  // namespace loci::cuda_rules
