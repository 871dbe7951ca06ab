#include <cstring>

#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using Device = DriverTest;

TEST_F(Device, CountAndOrdinals) {
  int count = 0;
  expect("cuDeviceGetCount", cu().cuDeviceGetCount(&count), CUDA_SUCCESS);
  ASSERT_GE(count, 1);
  record("count", count);
  CUdevice found = -1;
  expect("beyond the last", cu().cuDeviceGet(&found, count), CUDA_ERROR_INVALID_DEVICE);
  expect("negative", cu().cuDeviceGet(&found, -1), CUDA_ERROR_INVALID_DEVICE);
  expect("no result", cu().cuDeviceGet(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  expect("no count", cu().cuDeviceGetCount(nullptr), CUDA_ERROR_INVALID_VALUE);
  expect("device 0", cu().cuDeviceGet(&found, 0), CUDA_SUCCESS);
  expect_value("handle of device 0", found, 0);
}

TEST_F(Device, NameIsCutToTheBuffer) {
  char name[256];
  expect("whole", cu().cuDeviceGetName(name, sizeof name, device()), CUDA_SUCCESS);
  record("name", name);
  char cut[5];
  std::memset(cut, 'x', sizeof cut);
  expect("cut", cu().cuDeviceGetName(cut, sizeof cut, device()), CUDA_SUCCESS);
  expect_value("cut ends with", cut[4], 0);
  EXPECT_EQ(std::strncmp(cut, name, 4), 0);
  expect("no buffer", cu().cuDeviceGetName(nullptr, 16, device()), CUDA_ERROR_INVALID_VALUE);

  expect("no such device", cu().cuDeviceGetName(name, sizeof name, 1000),
         CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Device, AttributesAgreeWithOneAnother) {
  EXPECT_GE(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 7);
  expect_value("warp", attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
  expect_value("threads of a block", attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  expect_value("block x", attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), 1024);
  expect_value("block y", attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y), 1024);
  expect_value("block z", attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z), 64);
  expect_value("grid x", attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), 2147483647);
  expect_value("grid y", attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y), 65535);
  expect_value("grid z", attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z), 65535);
  expect_value("shared memory of a block",
               attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 49152);
  expect_value("constant memory", attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY), 65536);
  EXPECT_GE(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 49152);
  EXPECT_GE(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 1);
}

TEST_F(Device, AllAttributesOfTheHeaderAreKnown) {
  std::string values;
  std::string refused;
  for (int which = 1; which < CU_DEVICE_ATTRIBUTE_MAX; ++which) {
    int value = 0;
    const CUresult code =
        cu().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(which), device());
    if (code == CUDA_SUCCESS) {
      values += std::to_string(which) + "=" + std::to_string(value) + " ";
    } else {
      refused += std::to_string(which) + "=" + name_of(code) + " ";
    }
  }
  record("values", values);
  record("refused", refused);
  int value = 0;
  expect("0", cu().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(0), device()),
         CUDA_ERROR_INVALID_VALUE);
  record("far beyond the last",
         cu().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(5000), device()));
  expect("no result", cu().cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device()),
         CUDA_ERROR_INVALID_VALUE);
  expect("no such device", cu().cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1000),
         CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Device, MemoryAndIdentity) {
  std::size_t bytes = 0;
  expect("cuDeviceTotalMem", cu().cuDeviceTotalMem(&bytes, device()), CUDA_SUCCESS);
  std::size_t free = 0;
  std::size_t total = 0;
  must(cu().cuMemGetInfo(&free, &total));
  expect_value("total of both", total == bytes, true);
  EXPECT_LE(free, total);
  CUuuid first{};
  CUuuid second{};
  expect("cuDeviceGetUuid", cu().cuDeviceGetUuid(&first, device()), CUDA_SUCCESS);
  must(cu().cuDeviceGetUuid(&second, device()));
  EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0);
  char bus[32];
  expect("cuDeviceGetPCIBusId", cu().cuDeviceGetPCIBusId(bus, sizeof bus, device()), CUDA_SUCCESS);
  record("length of the bus id", std::strlen(bus));
  CUdevice again = -1;
  expect("cuDeviceGetByPCIBusId", cu().cuDeviceGetByPCIBusId(&again, bus), CUDA_SUCCESS);
  EXPECT_EQ(again, device());
  expect_one_of("a bus id that is none", cu().cuDeviceGetByPCIBusId(&again, "no bus"),
                {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE});
  record("a bus id cut", cu().cuDeviceGetPCIBusId(bus, 4, device()));
}

TEST_F(Device, IsNoPeerOfItself) {
  int can = -1;
  expect("cuDeviceCanAccessPeer", cu().cuDeviceCanAccessPeer(&can, device(), device()),
         CUDA_SUCCESS);
  record("can", can);
  expect_one_of(
      "enable", cu().cuCtxEnablePeerAccess(context(), 0),
      {CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED});
  expect_one_of("disable", cu().cuCtxDisablePeerAccess(context()),
                {CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, CUDA_ERROR_INVALID_CONTEXT});
  expect("enable with flags", cu().cuCtxEnablePeerAccess(context(), 1), CUDA_ERROR_INVALID_VALUE);
  expect("no such peer", cu().cuDeviceCanAccessPeer(&can, device(), 1000),
         CUDA_ERROR_INVALID_DEVICE);
}

}  // namespace
}  // namespace loci::cuda_rules
