#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using HostMemory = DriverTest;

// Pages of the host's own.
class Pages {
 public:
  explicit Pages(std::size_t count) : size_(count * 4096), data_(std::aligned_alloc(4096, size_)) {}
  ~Pages() { std::free(data_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  void* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  void* data_;
};

TEST_F(HostMemory, Flags) {
  void* data = nullptr;
  expect("plain", cu().cuMemAllocHost(&data, 100), CUDA_SUCCESS);
  unsigned flags = 99;
  expect("cuMemHostGetFlags", cu().cuMemHostGetFlags(&flags, data), CUDA_SUCCESS);
  record("flags of cuMemAllocHost", flags);
  CUdeviceptr address = 0;
  expect("device pointer", cu().cuMemHostGetDevicePointer(&address, data, 0), CUDA_SUCCESS);
  expect_value("the same address", address == reinterpret_cast<CUdeviceptr>(data), true);
  expect("device pointer inside",
         cu().cuMemHostGetDevicePointer(&address, static_cast<char*>(data) + 10, 0), CUDA_SUCCESS);
  expect_value("keeps the offset", address == reinterpret_cast<CUdeviceptr>(data) + 10, true);
  must(cu().cuMemFreeHost(data));
  for (const unsigned wanted : {0U, 1U, 2U, 3U, 4U, 7U}) {
    expect("flags " + std::to_string(wanted), cu().cuMemHostAlloc(&data, 100, wanted),
           CUDA_SUCCESS);
    must(cu().cuMemHostGetFlags(&flags, data));
    record("answered " + std::to_string(wanted), flags);
    must(cu().cuMemFreeHost(data));
  }
  expect("unknown flag", cu().cuMemHostAlloc(&data, 100, 0x100), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(HostMemory, Errors) {
  void* data = nullptr;
  record("size 0", cu().cuMemAllocHost(&data, 0));
  record("size 0 with flags", cu().cuMemHostAlloc(&data, 0, 0));
  expect("2^50 bytes", cu().cuMemAllocHost(&data, std::size_t{1} << 50), CUDA_ERROR_OUT_OF_MEMORY);
  int local = 0;
  expect("free what is not pinned", cu().cuMemFreeHost(&local), CUDA_ERROR_INVALID_VALUE);
  record("free null", cu().cuMemFreeHost(nullptr));
  must(cu().cuMemAllocHost(&data, 8192));
  expect("free interior", cu().cuMemFreeHost(static_cast<char*>(data) + 4096),
         CUDA_ERROR_INVALID_VALUE);
  expect("cuMemFree of pinned memory", cu().cuMemFree(reinterpret_cast<CUdeviceptr>(data)),
         CUDA_ERROR_INVALID_VALUE);
  expect("free", cu().cuMemFreeHost(data), CUDA_SUCCESS);
  expect("free twice", cu().cuMemFreeHost(data), CUDA_ERROR_INVALID_VALUE);
  unsigned flags = 0;
  expect("flags of what is not pinned", cu().cuMemHostGetFlags(&flags, &local),
         CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr address = 0;
  expect("device pointer of what is not pinned",
         cu().cuMemHostGetDevicePointer(&address, &local, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(HostMemory, IsSeenByKernelsWithoutCopies) {
  Stream stream;
  PinnedMemory pinned(16);
  must(launch_store(stream, pinned.address(), 77));
  stream.synchronize();
  expect_value("value", static_cast<std::uint32_t>(pinned.words()[0]), 77);
}

TEST_F(HostMemory, Registered) {
  Pages pages(4);
  expect("register",
         cu().cuMemHostRegister(pages.data(), pages.size(), CU_MEMHOSTREGISTER_DEVICEMAP),
         CUDA_SUCCESS);
  expect("again", cu().cuMemHostRegister(pages.data(), pages.size(), 0),
         CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  expect("a part of it", cu().cuMemHostRegister(static_cast<char*>(pages.data()) + 4096, 4096, 0),
         CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  unsigned flags = 99;
  expect("flags", cu().cuMemHostGetFlags(&flags, pages.data()), CUDA_SUCCESS);
  record("value of the flags", flags);
  CUdeviceptr address = 0;
  expect("device pointer", cu().cuMemHostGetDevicePointer(&address, pages.data(), 0), CUDA_SUCCESS);
  record("the same address", address == reinterpret_cast<CUdeviceptr>(pages.data()));
  Stream stream;
  must(launch_store(stream, address, 5));
  stream.synchronize();
  expect_value("written by a kernel", *static_cast<volatile std::uint32_t*>(pages.data()), 5);
  expect("unregister inside", cu().cuMemHostUnregister(static_cast<char*>(pages.data()) + 4096),
         CUDA_ERROR_INVALID_VALUE);
  expect("cuMemFreeHost", cu().cuMemFreeHost(pages.data()), CUDA_ERROR_INVALID_VALUE);
  expect("unregister", cu().cuMemHostUnregister(pages.data()), CUDA_SUCCESS);
  expect("unregister twice", cu().cuMemHostUnregister(pages.data()),
         CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(HostMemory, RegistrationErrors) {
  Pages pages(2);
  expect("size 0", cu().cuMemHostRegister(pages.data(), 0, 0), CUDA_ERROR_INVALID_VALUE);
  expect("null", cu().cuMemHostRegister(nullptr, 4096, 0), CUDA_ERROR_INVALID_VALUE);
  expect("unknown flags", cu().cuMemHostRegister(pages.data(), 4096, 0x100),
         CUDA_ERROR_INVALID_VALUE);
  const CUresult odd = cu().cuMemHostRegister(static_cast<char*>(pages.data()) + 100, 500, 0);
  record("not on page bounds", odd);
  if (odd == CUDA_SUCCESS) must(cu().cuMemHostUnregister(static_cast<char*>(pages.data()) + 100));
  PinnedMemory pinned(4096);
  // The manual has CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED for it.
  expect("pinned memory", cu().cuMemHostRegister(pinned.data(), 4096, 0), CUDA_ERROR_INVALID_VALUE);
  expect("unregister pinned memory", cu().cuMemHostUnregister(pinned.data()),
         CUDA_ERROR_INVALID_VALUE);
}

TEST_F(HostMemory, FreeWaitsForWork) {
  Stream stream;
  void* data = nullptr;
  must(cu().cuMemAllocHost(&data, 4096));
  DeviceMemory memory(4096);
  Gate gate;
  gate.close(stream);
  must(cu().cuMemcpyHtoDAsync(memory, data, 4096, stream));
  record("cuMemFreeHost",
         blocks_until_open(gate, context(), [&] { must(cu().cuMemFreeHost(data)); }));
  stream.synchronize();
}

TEST_F(HostMemory, ManagedMemory) {
  CUdeviceptr address = 0;
  const CUresult code = cu().cuMemAllocManaged(&address, 4096, CU_MEM_ATTACH_GLOBAL);
  record("cuMemAllocManaged", code);
  record("attribute", attribute(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY));
  EXPECT_EQ(code == CUDA_SUCCESS, attribute(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) == 1);
  if (code == CUDA_SUCCESS) must(cu().cuMemFree(address));
}

}  // namespace
}  // namespace loci::cuda_rules
