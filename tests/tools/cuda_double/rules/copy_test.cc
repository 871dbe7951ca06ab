// Which copies wait for what is before them on their stream, and which return at once. A gate holds
// the stream; a call that returns before the gate opens did not wait.
#include <cstring>
#include <vector>

#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using Copy = DriverTest;

constexpr std::size_t kSmall = 1 << 10;  // under the 64 KiB that the manual names
constexpr std::size_t kLarge = 8 << 20;

TEST_F(Copy, MovesBytesInAllDirections) {
  std::vector<std::uint8_t> source(5000);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::uint8_t>(i * 7);
  DeviceMemory first(5000);
  DeviceMemory second(5000);
  std::vector<std::uint8_t> result(5000);
  expect("cuMemcpyHtoD", cu().cuMemcpyHtoD(first, source.data(), 5000), CUDA_SUCCESS);
  expect("cuMemcpyDtoD", cu().cuMemcpyDtoD(second, first, 5000), CUDA_SUCCESS);
  expect("cuMemcpyDtoH", cu().cuMemcpyDtoH(result.data(), second, 5000), CUDA_SUCCESS);
  EXPECT_EQ(source, result);
  std::fill(result.begin(), result.end(), 0);
  expect("cuMemcpy", cu().cuMemcpy(reinterpret_cast<CUdeviceptr>(result.data()), first + 3, 4001),
         CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(result.data(), source.data() + 3, 4001), 0);
  expect("cuMemcpy of the host alone",
         cu().cuMemcpy(reinterpret_cast<CUdeviceptr>(result.data()),
                       reinterpret_cast<CUdeviceptr>(source.data()), 5000),
         CUDA_SUCCESS);
  EXPECT_EQ(source, result);
}

TEST_F(Copy, Errors) {
  DeviceMemory memory(4096);
  std::vector<std::uint8_t> host(8192);
  expect("size 0", cu().cuMemcpyHtoD(memory, host.data(), 0), CUDA_SUCCESS);
  record("size 0 to null", cu().cuMemcpyHtoD(0, host.data(), 0));
  expect("to null", cu().cuMemcpyHtoD(0, host.data(), 16), CUDA_ERROR_INVALID_VALUE);
  expect("from null", cu().cuMemcpyHtoD(memory, nullptr, 16), CUDA_ERROR_INVALID_VALUE);
  expect("beyond the end", cu().cuMemcpyHtoD(memory, host.data(), 8192), CUDA_ERROR_INVALID_VALUE);
  expect("beyond the end to the host", cu().cuMemcpyDtoH(host.data(), memory, 8192),
         CUDA_ERROR_INVALID_VALUE);
  expect("beyond the end from inside", cu().cuMemcpyDtoD(memory, memory + 4000, 100),
         CUDA_ERROR_INVALID_VALUE);
  record("host memory for device memory",
         cu().cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(host.data()), host.data() + 4096, 16));
  record("device memory for host memory",
         cu().cuMemcpyHtoD(
             memory, reinterpret_cast<const void*>(static_cast<CUdeviceptr>(memory) + 64), 16));
  Stream stream;
  expect("asynchronously beyond the end", cu().cuMemcpyHtoDAsync(memory, host.data(), 8192, stream),
         CUDA_ERROR_INVALID_VALUE);
  expect("asynchronously null", cu().cuMemcpyDtoDAsync(0, memory, 16, stream),
         CUDA_ERROR_INVALID_VALUE);
  record("overlapping", cu().cuMemcpyDtoD(memory + 8, memory, 64));
}

TEST_F(Copy, PageableToDeviceAsynchronously) {
  for (const std::size_t bytes : {kSmall, kLarge}) {
    std::vector<std::uint8_t> host(bytes);
    DeviceMemory memory(bytes);
    Stream stream;
    Gate gate;
    gate.close(stream);
    record("bytes " + std::to_string(bytes), blocks_until_open(gate, context(), [&] {
             must(cu().cuMemcpyHtoDAsync(memory, host.data(), bytes, stream));
           }));
    stream.synchronize();
  }
}

// The bytes are taken when the call returns, whatever becomes of the host memory.
TEST_F(Copy, PageableSourceMayChangeWhenTheCallHasReturned) {
  for (const std::size_t bytes : {kSmall, kLarge}) {
    std::vector<std::uint8_t> host(bytes, 1);
    DeviceMemory memory(bytes);
    Stream stream;
    must(cu().cuMemcpyHtoDAsync(memory, host.data(), bytes, stream));
    std::fill(host.begin(), host.end(), 2);
    stream.synchronize();
    expect_value("first byte of " + std::to_string(bytes), memory.byte(0), 1);
    expect_value("last byte of " + std::to_string(bytes), memory.byte(bytes - 1), 1);
  }
}

TEST_F(Copy, DeviceToPageableAsynchronously) {
  for (const std::size_t bytes : {kSmall, kLarge}) {
    std::vector<std::uint8_t> host(bytes, 9);
    DeviceMemory memory(bytes);
    Stream stream;
    Gate gate;
    gate.close(stream);
    std::uint8_t at_return = 9;
    record("bytes " + std::to_string(bytes), blocks_until_open(gate, context(), [&] {
             must(cu().cuMemcpyDtoHAsync(host.data(), memory, bytes, stream));
             at_return = host[bytes - 1];
           }));
    record("done at return " + std::to_string(bytes), at_return == 0);
    stream.synchronize();
  }
}

TEST_F(Copy, PinnedAsynchronously) {
  PinnedMemory pinned(kLarge);
  DeviceMemory memory(kLarge);
  DeviceMemory other(kLarge);
  const auto observe = [&](const char* name, auto call) {
    Stream stream;
    Gate gate;
    gate.close(stream);
    expect_text(name, blocks_until_open(gate, context(), [&] { must(call(stream)); }), "returns");
    stream.synchronize();
  };
  observe("to the device",
          [&](CUstream s) { return cu().cuMemcpyHtoDAsync(memory, pinned.data(), kLarge, s); });
  observe("to the host",
          [&](CUstream s) { return cu().cuMemcpyDtoHAsync(pinned.data(), memory, kLarge, s); });
  observe("on the device",
          [&](CUstream s) { return cu().cuMemcpyDtoDAsync(other, memory, kLarge, s); });
  observe("by cuMemcpyAsync",
          [&](CUstream s) { return cu().cuMemcpyAsync(other, pinned.address(), kLarge, s); });
}

TEST_F(Copy, BlockingOnesWaitForTheLegacyStream) {
  std::vector<std::uint8_t> host(kSmall);
  PinnedMemory pinned(kSmall);
  DeviceMemory memory(kSmall);
  DeviceMemory other(kSmall);
  const auto observe = [&](const std::string& name, auto call) {
    Stream blocking(CU_STREAM_DEFAULT);
    {
      Gate gate;
      gate.close(blocking);
      record(name + " behind a blocking stream",
             blocks_until_open(gate, context(), [&] { must(call()); }));
      blocking.synchronize();
    }
    Stream independent(CU_STREAM_NON_BLOCKING);
    Gate gate;
    gate.close(independent);
    record(name + " behind a non-blocking stream",
           blocks_until_open(gate, context(), [&] { must(call()); }));
    independent.synchronize();
    must(cu().cuCtxSynchronize());
  };
  observe("pageable to the device", [&] { return cu().cuMemcpyHtoD(memory, host.data(), kSmall); });
  observe("pinned to the device", [&] { return cu().cuMemcpyHtoD(memory, pinned.data(), kSmall); });
  observe("to pageable", [&] { return cu().cuMemcpyDtoH(host.data(), memory, kSmall); });
  observe("to pinned", [&] { return cu().cuMemcpyDtoH(pinned.data(), memory, kSmall); });
  observe("on the device", [&] { return cu().cuMemcpyDtoD(other, memory, kSmall); });
}

TEST_F(Copy, OfTheSameDeviceAsPeer) {
  DeviceMemory from(kSmall);
  DeviceMemory to(kSmall);
  must(cu().cuMemsetD8(from, 6, kSmall));
  expect("cuMemcpyPeer", cu().cuMemcpyPeer(to, context(), from, context(), kSmall), CUDA_SUCCESS);
  must(cu().cuCtxSynchronize());
  expect_value("last byte", to.byte(kSmall - 1), 6);
  Stream stream;
  expect("cuMemcpyPeerAsync",
         cu().cuMemcpyPeerAsync(to, context(), from, context(), kSmall, stream), CUDA_SUCCESS);
  stream.synchronize();
}

TEST_F(Copy, RegisteredMemoryCountsAsPinned) {
  std::vector<std::uint8_t> host(kLarge + 4096);
  void* page = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(host.data()) + 4095) &
                                       ~std::uintptr_t{4095});
  must(cu().cuMemHostRegister(page, kLarge, 0));
  DeviceMemory memory(kLarge);
  {
    Stream stream;
    Gate gate;
    gate.close(stream);
    expect_text(
        "to the device",
        blocks_until_open(gate, context(),
                          [&] { must(cu().cuMemcpyHtoDAsync(memory, page, kLarge, stream)); }),
        "returns");
    stream.synchronize();
  }
  must(cu().cuMemHostUnregister(page));
}

}  // namespace
}  // namespace loci::cuda_rules
