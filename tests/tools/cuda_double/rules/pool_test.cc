#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using Pool = DriverTest;

class OwnPool {
 public:
  explicit OwnPool(std::size_t limit = 0) {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.maxSize = limit;
    must(cu().cuMemPoolCreate(&pool_, &properties));
  }
  ~OwnPool() { cu().cuMemPoolDestroy(pool_); }
  OwnPool(const OwnPool&) = delete;
  OwnPool& operator=(const OwnPool&) = delete;
  operator CUmemoryPool() const { return pool_; }

  cuuint64_t get(CUmemPool_attribute which) const {
    cuuint64_t value = 0;
    must(cu().cuMemPoolGetAttribute(pool_, which, &value));
    return value;
  }
  void set(CUmemPool_attribute which, cuuint64_t value) {
    must(cu().cuMemPoolSetAttribute(pool_, which, &value));
  }
  CUdeviceptr allocate(std::size_t bytes, CUstream stream) {
    CUdeviceptr address = 0;
    must(cu().cuMemAllocFromPoolAsync(&address, bytes, pool_, stream));
    return address;
  }

 private:
  CUmemoryPool pool_ = nullptr;
};

TEST_F(Pool, OfTheDevice) {
  CUmemoryPool standard = nullptr;
  CUmemoryPool used = nullptr;
  expect("default", cu().cuDeviceGetDefaultMemPool(&standard, device()), CUDA_SUCCESS);
  expect("current", cu().cuDeviceGetMemPool(&used, device()), CUDA_SUCCESS);
  EXPECT_EQ(standard, used);
  OwnPool own;
  expect("set", cu().cuDeviceSetMemPool(device(), own), CUDA_SUCCESS);
  must(cu().cuDeviceGetMemPool(&used, device()));
  EXPECT_EQ(used, static_cast<CUmemoryPool>(own));
  Stream stream;
  CUdeviceptr address = 0;
  must(cu().cuMemAllocAsync(&address, 1024, stream));
  expect_value("used by cuMemAllocAsync", own.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT) > 0, true);
  must(cu().cuMemFreeAsync(address, stream));
  stream.synchronize();
  must(cu().cuDeviceSetMemPool(device(), standard));
  record("destroy the default", cu().cuMemPoolDestroy(standard));
}

TEST_F(Pool, Attributes) {
  OwnPool pool;
  expect_value("threshold", pool.get(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 0);
  int follow = -1;
  expect("an int",
         cu().cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &follow),
         CUDA_SUCCESS);
  expect_value("follows events", follow, 1);
  must(cu().cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &follow));
  expect_value("is opportunistic", follow, 1);
  must(
      cu().cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &follow));
  expect_value("adds dependencies", follow, 1);
  pool.set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 1 << 20);
  expect_value("threshold after set", pool.get(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 1 << 20);
  expect_value("used", pool.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
  expect_value("reserved", pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
  cuuint64_t value = 5;
  record("set what only can be read",
         cu().cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
  expect("set a high mark to more than 0",
         cu().cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value),
         CUDA_ERROR_INVALID_VALUE);
  expect("unknown", cu().cuMemPoolGetAttribute(pool, static_cast<CUmemPool_attribute>(99), &value),
         CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Pool, CountsWhatIsUsedAndReserved) {
  OwnPool pool;
  Stream stream;
  const CUdeviceptr address = pool.allocate(1000, stream);
  expect_value("aligned to 256", address % 256, 0);
  record("used for 1000", pool.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
  record("reserved for 1000", pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT));
  must(cu().cuMemFreeAsync(address, stream));
  record("used after the free is enqueued", pool.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
  stream.synchronize();
  expect_value("used after synchronisation", pool.get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
  expect_value("reserved after synchronisation", pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
  record("high mark", pool.get(CU_MEMPOOL_ATTR_USED_MEM_HIGH));
  pool.set(CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0);
  expect_value("high mark after reset", pool.get(CU_MEMPOOL_ATTR_USED_MEM_HIGH), 0);
}

TEST_F(Pool, ThresholdKeepsMemory) {
  OwnPool pool;
  pool.set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, ~cuuint64_t{0});
  Stream stream;
  const CUdeviceptr address = pool.allocate(1 << 20, stream);
  must(cu().cuMemFreeAsync(address, stream));
  stream.synchronize();
  const auto kept = pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
  record("reserved", kept);
  EXPECT_GT(kept, 0u);
  expect("trim", cu().cuMemPoolTrimTo(pool, 0), CUDA_SUCCESS);
  expect_value("after trim", pool.get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
}

TEST_F(Pool, ReuseOnTheSameStream) {
  OwnPool pool;
  Stream stream;
  Gate gate;
  gate.close(stream);
  const CUdeviceptr first = pool.allocate(1 << 20, stream);
  must(cu().cuMemFreeAsync(first, stream));
  const CUdeviceptr second = pool.allocate(1 << 20, stream);
  expect_value("the same block", first == second, true);
  must(cu().cuMemFreeAsync(second, stream));
  gate.open();
  stream.synchronize();
}

TEST_F(Pool, NoReuseOnAnUnorderedStream) {
  OwnPool pool;
  int no = 0;
  must(cu().cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &no));
  Stream stream;
  Stream other;
  Gate gate;
  gate.close(stream);
  const CUdeviceptr first = pool.allocate(1 << 20, stream);
  must(cu().cuMemFreeAsync(first, stream));
  const CUdeviceptr second = pool.allocate(1 << 20, other);
  expect_value("another block", first != second, true);
  must(cu().cuMemFreeAsync(second, other));
  gate.open();
  stream.synchronize();
  other.synchronize();
}

TEST_F(Pool, ReuseBehindAnEvent) {
  OwnPool pool;
  Stream stream;
  Stream other;
  Event freed(CU_EVENT_DISABLE_TIMING);
  Gate gate;
  gate.close(stream);
  const CUdeviceptr first = pool.allocate(1 << 20, stream);
  must(cu().cuMemFreeAsync(first, stream));
  must(cu().cuEventRecord(freed, stream));
  must(cu().cuStreamWaitEvent(other, freed, 0));
  const CUdeviceptr second = pool.allocate(1 << 20, other);
  record("the same block", first == second);
  must(cu().cuMemFreeAsync(second, other));
  gate.open();
  stream.synchronize();
  other.synchronize();
}

TEST_F(Pool, ReuseOfWhatIsDone) {
  OwnPool pool;
  pool.set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, ~cuuint64_t{0});
  Stream stream;
  Stream other;
  const CUdeviceptr first = pool.allocate(1 << 20, stream);
  must(cu().cuMemFreeAsync(first, stream));
  stream.synchronize();
  const CUdeviceptr second = pool.allocate(1 << 20, other);
  record("the same block on another stream", first == second);
  must(cu().cuMemFreeAsync(second, other));
  other.synchronize();
}

TEST_F(Pool, Errors) {
  Stream stream;
  CUdeviceptr address = 0x10;
  record("size 0", cu().cuMemAllocAsync(&address, 0, stream));
  expect("too much", cu().cuMemAllocAsync(&address, std::size_t{1} << 50, stream),
         CUDA_ERROR_OUT_OF_MEMORY);
  record("free null", cu().cuMemFreeAsync(0, stream));
  must(cu().cuMemAllocAsync(&address, 4096, stream));
  expect("free interior", cu().cuMemFreeAsync(address + 256, stream), CUDA_ERROR_INVALID_VALUE);
  expect("free", cu().cuMemFreeAsync(address, stream), CUDA_SUCCESS);
  expect("free twice", cu().cuMemFreeAsync(address, stream), CUDA_ERROR_INVALID_VALUE);
  stream.synchronize();
  expect("on the legacy stream", cu().cuMemAllocAsync(&address, 4096, nullptr), CUDA_SUCCESS);
  expect("free on the legacy stream", cu().cuMemFreeAsync(address, nullptr), CUDA_SUCCESS);
}

TEST_F(Pool, OfLimitedSize) {
  OwnPool pool(32 << 20);
  Stream stream;
  CUdeviceptr address = 0;
  expect("more than its limit", cu().cuMemAllocFromPoolAsync(&address, 256 << 20, pool, stream),
         CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(Pool, Creation) {
  CUmemoryPool pool = nullptr;
  CUmemPoolProps properties{};
  expect("no type", cu().cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 1000;
  expect_one_of("no such device", cu().cuMemPoolCreate(&pool, &properties),
                {CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE});
  CUmemAccess_flags flags{};
  OwnPool own;
  CUmemLocation here{};
  here.type = CU_MEM_LOCATION_TYPE_DEVICE;
  expect("access", cu().cuMemPoolGetAccess(&flags, own, &here), CUDA_SUCCESS);
  expect_value("reads and writes", static_cast<int>(flags), 3);
}

TEST_F(Pool, MemoryOutlivesThePoolThatIsDestroyed) {
  Stream stream;
  CUdeviceptr address = 0;
  {
    OwnPool pool;
    address = pool.allocate(4096, stream);
  }
  expect("fill", cu().cuMemsetD8Async(address, 1, 4096, stream), CUDA_SUCCESS);
  expect("free", cu().cuMemFreeAsync(address, stream), CUDA_SUCCESS);
  stream.synchronize();
}

TEST_F(Pool, PointerAttributes) {
  OwnPool pool;
  Stream stream;
  const CUdeviceptr address = pool.allocate(4096, stream);
  CUmemoryPool found = nullptr;
  expect("pool", cu().cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address),
         CUDA_SUCCESS);
  EXPECT_EQ(found, static_cast<CUmemoryPool>(pool));
  CUdeviceptr base = 0;
  std::size_t size = 0;
  expect("range", cu().cuMemGetAddressRange(&base, &size, address), CUDA_SUCCESS);
  record("size", size);
  CUcontext owner = context();
  record("context", cu().cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, address));
  record("context is null", owner == nullptr);
  DeviceMemory plain(16);
  found = nullptr;
  record("pool of plain memory",
         cu().cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, plain));
  must(cu().cuMemFreeAsync(address, stream));
  stream.synchronize();
}

}  // namespace
}  // namespace loci::cuda_rules
