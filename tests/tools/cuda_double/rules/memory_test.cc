#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using Memory = DriverTest;

TEST_F(Memory, SizesAndAlignment) {
  for (const std::size_t bytes : {1U, 3U, 256U, 4097U, 1U << 20, (2U << 20) + 1}) {
    CUdeviceptr address = 0;
    expect("cuMemAlloc of " + std::to_string(bytes), cu().cuMemAlloc(&address, bytes),
           CUDA_SUCCESS);
    expect_value("aligned to 256 at " + std::to_string(bytes), address % 256, 0);
    record("aligned to 512 at " + std::to_string(bytes), address % 512 == 0);
    CUdeviceptr base = 0;
    std::size_t size = 0;
    must(cu().cuMemGetAddressRange(&base, &size, address + bytes / 2));
    EXPECT_EQ(base, address);
    expect_value("size of the range of " + std::to_string(bytes), size, bytes);
    must(cu().cuMemFree(address));
  }
}

TEST_F(Memory, OfNoSize) {
  CUdeviceptr address = 0x10;
  expect("cuMemAlloc", cu().cuMemAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
  record("address", address);
  expect("no result", cu().cuMemAlloc(nullptr, 16), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, OutOfMemory) {
  CUdeviceptr address = 0;
  expect("2^50 bytes", cu().cuMemAlloc(&address, std::size_t{1} << 50), CUDA_ERROR_OUT_OF_MEMORY);
  record("all bits", cu().cuMemAlloc(&address, ~std::size_t{0}));
  std::size_t free = 0;
  std::size_t total = 0;
  must(cu().cuMemGetInfo(&free, &total));
  expect("as much as the whole device", cu().cuMemAlloc(&address, total), CUDA_ERROR_OUT_OF_MEMORY);
  expect("works afterwards", cu().cuMemAlloc(&address, 1024), CUDA_SUCCESS);
  must(cu().cuMemFree(address));
}

TEST_F(Memory, IsCounted) {
  std::size_t before = 0;
  std::size_t after = 0;
  std::size_t total = 0;
  must(cu().cuMemGetInfo(&before, &total));
  CUdeviceptr address = 0;
  must(cu().cuMemAlloc(&address, 64 << 20));
  must(cu().cuMemGetInfo(&after, &total));
  expect_value("64 MiB less free", before - after, 64 << 20);
  must(cu().cuMemFree(address));
  must(cu().cuMemGetInfo(&after, &total));
  expect_value("all back", before == after, true);
  record("no results", cu().cuMemGetInfo(nullptr, nullptr));
}

TEST_F(Memory, BadFrees) {
  CUdeviceptr address = 0;
  must(cu().cuMemAlloc(&address, 4096));
  expect("null", cu().cuMemFree(0), CUDA_SUCCESS);
  expect("interior", cu().cuMemFree(address + 256), CUDA_ERROR_INVALID_VALUE);
  int local = 0;
  expect("of the host", cu().cuMemFree(reinterpret_cast<CUdeviceptr>(&local)),
         CUDA_ERROR_INVALID_VALUE);
  expect("right", cu().cuMemFree(address), CUDA_SUCCESS);
  expect("twice", cu().cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, FreeWaitsForWork) {
  Stream stream;
  CUdeviceptr address = 0;
  must(cu().cuMemAlloc(&address, 4096));
  Gate gate;
  gate.close(stream);
  must(launch_store(stream, address, 1));
  record("cuMemFree", blocks_until_open(gate, context(), [&] { must(cu().cuMemFree(address)); }));
  stream.synchronize();
}

TEST_F(Memory, AllocationDoesNotWaitForWork) {
  Stream stream;
  Gate gate;
  gate.close(stream);
  CUdeviceptr address = 0;
  record("cuMemAlloc",
         blocks_until_open(gate, context(), [&] { must(cu().cuMemAlloc(&address, 4096)); }));
  stream.synchronize();
  must(cu().cuMemFree(address));
}

TEST_F(Memory, AddressRange) {
  DeviceMemory memory(1000);
  CUdeviceptr base = 0;
  std::size_t size = 0;
  expect("last byte", cu().cuMemGetAddressRange(&base, &size, memory + 999), CUDA_SUCCESS);
  expect("base alone", cu().cuMemGetAddressRange(&base, nullptr, memory), CUDA_SUCCESS);
  expect("size alone", cu().cuMemGetAddressRange(nullptr, &size, memory), CUDA_SUCCESS);
  int local = 0;
  expect("of the host",
         cu().cuMemGetAddressRange(&base, &size, reinterpret_cast<CUdeviceptr>(&local)),
         CUDA_ERROR_NOT_FOUND);
  expect("null", cu().cuMemGetAddressRange(&base, &size, 0), CUDA_ERROR_NOT_FOUND);
  PinnedMemory pinned(4096);
  record("of pinned memory", cu().cuMemGetAddressRange(&base, &size, pinned.address() + 16));
  record("its size", size);
}

TEST_F(Memory, Pitched) {
  CUdeviceptr address = 0;
  std::size_t pitch = 0;
  expect("cuMemAllocPitch", cu().cuMemAllocPitch(&address, &pitch, 1000, 7, 4), CUDA_SUCCESS);
  record("pitch of 1000", pitch);
  EXPECT_EQ(pitch % 256, 0u);
  CUdeviceptr base = 0;
  std::size_t size = 0;
  must(cu().cuMemGetAddressRange(&base, &size, address));
  record("size", size);
  must(cu().cuMemFree(address));
  expect("element of 3", cu().cuMemAllocPitch(&address, &pitch, 1000, 7, 3),
         CUDA_ERROR_INVALID_VALUE);
  record("no height", cu().cuMemAllocPitch(&address, &pitch, 1000, 0, 4));
  record("no width", cu().cuMemAllocPitch(&address, &pitch, 0, 7, 4));
}

TEST_F(Memory, PointerAttributes) {
  DeviceMemory memory(4096);
  CUmemorytype type{};
  expect("type", cu().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory + 5),
         CUDA_SUCCESS);
  expect_value("is device", static_cast<int>(type), static_cast<int>(CU_MEMORYTYPE_DEVICE));
  CUcontext owner = nullptr;
  expect("context", cu().cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, memory),
         CUDA_SUCCESS);
  EXPECT_EQ(owner, context());
  int ordinal = -1;
  expect("ordinal",
         cu().cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory),
         CUDA_SUCCESS);
  EXPECT_EQ(ordinal, 0);
  CUdeviceptr start = 0;
  expect("range start",
         cu().cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, memory + 100),
         CUDA_SUCCESS);
  EXPECT_EQ(start, memory);
  std::size_t size = 0;
  expect("range size",
         cu().cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, memory + 100),
         CUDA_SUCCESS);
  expect_value("range of 4096", size, 4096);
  void* host = nullptr;
  record("host pointer",
         cu().cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, memory));
  CUdeviceptr same = 0;
  expect("device pointer",
         cu().cuPointerGetAttribute(&same, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, memory + 8),
         CUDA_SUCCESS);
  EXPECT_EQ(same, memory + 8);
  bool mapped = false;
  expect("mapped", cu().cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, memory),
         CUDA_SUCCESS);
  unsigned managed = 9;
  expect("managed", cu().cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, memory),
         CUDA_SUCCESS);
  expect_value("is managed", managed & 0xff, 0);
  unsigned long long id = 0;
  expect("buffer id", cu().cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, memory),
         CUDA_SUCCESS);
}

TEST_F(Memory, PointerAttributesOfPlainHostMemory) {
  int local = 0;
  const auto address = reinterpret_cast<CUdeviceptr>(&local);
  CUmemorytype type{};
  record("type", cu().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
  int ordinal = -9;
  record("ordinal",
         cu().cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address));
  CUcontext owner = nullptr;
  unsigned managed = 9;
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_CONTEXT,
                                  CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* values[] = {&type, &owner, &managed, &ordinal};
  type = static_cast<CUmemorytype>(77);
  owner = context();
  expect("all at once", cu().cuPointerGetAttributes(4, wanted, values, address), CUDA_SUCCESS);
  record("type of all", static_cast<int>(type));
  expect_value("context is null", owner == nullptr, true);
  record("ordinal of all", ordinal);
  CUmemorytype unknown = static_cast<CUmemorytype>(77);
  expect(
      "freed",
      [&] {
        CUdeviceptr freed = 0;
        must(cu().cuMemAlloc(&freed, 64 << 20));
        must(cu().cuMemFree(freed));
        return cu().cuPointerGetAttribute(&unknown, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, freed);
      }(),
      CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, PointerAttributesOfPinnedMemory) {
  PinnedMemory pinned(4096);
  const auto address = reinterpret_cast<CUdeviceptr>(pinned.data());
  CUmemorytype type{};
  expect("type", cu().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address),
         CUDA_SUCCESS);
  expect_value("is host", static_cast<int>(type), static_cast<int>(CU_MEMORYTYPE_HOST));
  void* host = nullptr;
  expect("host pointer",
         cu().cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, address + 4),
         CUDA_SUCCESS);
  EXPECT_EQ(host, static_cast<char*>(pinned.data()) + 4);
  CUdeviceptr mapped = 0;
  expect("device pointer",
         cu().cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address),
         CUDA_SUCCESS);
  EXPECT_EQ(mapped, pinned.address());
  expect_value("the same address on both sides", mapped == address, true);
}

TEST_F(Memory, AsynchronousAllocationOfAGraphIsNoPlainAllocation) {
  Stream stream;
  CUdeviceptr address = 0;
  must(cu().cuMemAllocAsync(&address, 4096, stream));
  expect("cuMemFree of stream-ordered memory", cu().cuMemFree(address), CUDA_SUCCESS);
  must(cu().cuMemAlloc(&address, 4096));
  expect("cuMemFreeAsync of plain memory", cu().cuMemFreeAsync(address, stream), CUDA_SUCCESS);
  stream.synchronize();
}

}  // namespace
}  // namespace loci::cuda_rules
