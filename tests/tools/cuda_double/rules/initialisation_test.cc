// Before cuInit(): each test runs in a process of its own, which has called nothing.
#include <sys/wait.h>
#include <unistd.h>

#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using InitialisationFresh = OpenedDriverTest;

TEST_F(InitialisationFresh, DeviceFunctionsNeedIt) {
  int count = -1;
  expect("cuDeviceGetCount", cu().cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  CUdevice device = -1;
  expect("cuDeviceGet", cu().cuDeviceGet(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
  CUcontext context = nullptr;
  expect("cuDevicePrimaryCtxRetain", cu().cuDevicePrimaryCtxRetain(&context, 0),
         CUDA_ERROR_NOT_INITIALIZED);
}

TEST_F(InitialisationFresh, ContextFunctionsNeedIt) {
  CUcontext context = nullptr;
  expect("cuCtxGetCurrent", cu().cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
  expect("cuCtxSynchronize", cu().cuCtxSynchronize(), CUDA_ERROR_NOT_INITIALIZED);
  CUdeviceptr address = 0;
  expect("cuMemAlloc", cu().cuMemAlloc(&address, 16), CUDA_ERROR_NOT_INITIALIZED);
  expect("cuMemFree", cu().cuMemFree(0), CUDA_ERROR_NOT_INITIALIZED);
  CUstream stream = nullptr;
  expect("cuStreamCreate", cu().cuStreamCreate(&stream, 0), CUDA_ERROR_NOT_INITIALIZED);
  CUgraph graph = nullptr;
  record("cuGraphCreate", cu().cuGraphCreate(&graph, 0));
}

TEST_F(InitialisationFresh, VersionAndNamesDoNotNeedIt) {
  int version = 0;
  expect("cuDriverGetVersion", cu().cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_GE(version, 12040);
  record("version", version);
  const char* name = nullptr;
  expect("cuGetErrorName", cu().cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &name), CUDA_SUCCESS);
  expect_text("name", name, "CUDA_ERROR_INVALID_VALUE");
  void* function = nullptr;
  CUdriverProcAddressQueryResult found{};
  expect("cuGetProcAddress",
         cu().cuGetProcAddress("cuInit", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &found),
         CUDA_SUCCESS);
}

TEST_F(InitialisationFresh, FlagsHaveToBeZero) {
  expect("cuInit(1)", cu().cuInit(1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InitialisationFresh, MayBeRepeated) {
  const CUresult first = cu().cuInit(0);
  if (first != CUDA_SUCCESS) GTEST_SKIP() << name_of(first);
  expect("second", cu().cuInit(0), CUDA_SUCCESS);
  expect("with flags", cu().cuInit(1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InitialisationFresh, ACurrentContextIsNeededAfterIt) {
  if (cu().cuInit(0) != CUDA_SUCCESS) GTEST_SKIP() << "no device";
  CUcontext context = reinterpret_cast<CUcontext>(1);
  expect("cuCtxGetCurrent", cu().cuCtxGetCurrent(&context), CUDA_SUCCESS);
  EXPECT_EQ(context, nullptr);
  CUdeviceptr address = 0;
  expect("cuMemAlloc", cu().cuMemAlloc(&address, 16), CUDA_ERROR_INVALID_CONTEXT);
  CUstream stream = nullptr;
  expect("cuStreamCreate", cu().cuStreamCreate(&stream, 0), CUDA_ERROR_INVALID_CONTEXT);
  CUevent event = nullptr;
  expect("cuEventCreate", cu().cuEventCreate(&event, 0), CUDA_ERROR_INVALID_CONTEXT);
  expect("cuCtxSynchronize", cu().cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  CUdevice device = -1;
  expect("cuCtxGetDevice", cu().cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
  CUcontext popped = nullptr;
  expect("cuCtxPopCurrent", cu().cuCtxPopCurrent(&popped), CUDA_ERROR_INVALID_CONTEXT);
  void* pinned = nullptr;
  record("cuMemAllocHost", cu().cuMemAllocHost(&pinned, 16));
  CUgraph graph = nullptr;
  record("cuGraphCreate", cu().cuGraphCreate(&graph, 0));
  record("cuMemFree of null", cu().cuMemFree(0));
  record("cuStreamQuery of the legacy stream", cu().cuStreamQuery(CU_STREAM_LEGACY));
}

TEST_F(InitialisationFresh, AForkAfterItLeavesTheChildWithoutADriver) {
  if (cu().cuInit(0) != CUDA_SUCCESS) GTEST_SKIP() << "no device";
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    int count = 0;
    const int codes[] = {cu().cuInit(0), cu().cuDeviceGetCount(&count)};
    _exit(write(channel[1], codes, sizeof codes) == sizeof codes ? 0 : 1);
  }
  int codes[2] = {-1, -1};
  ASSERT_EQ(read(channel[0], codes, sizeof codes), static_cast<ssize_t>(sizeof codes));
  waitpid(child, nullptr, 0);
  close(channel[0]);
  close(channel[1]);
  record("cuInit in the child", static_cast<CUresult>(codes[0]));
  record("cuDeviceGetCount in the child", static_cast<CUresult>(codes[1]));
}

}  // namespace
}  // namespace loci::cuda_rules
