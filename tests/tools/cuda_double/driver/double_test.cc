// Tests what the double has beyond a driver: settings, planted failures, and findings in programs.
// Each test has a process of its own, in which it sets the double up before the first call.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "double_fixture.h"

namespace loci::cuda_rules {
namespace {

// The call's result in a process of its own that starts with these settings.
template <typename Program>
int in_another_process(const std::string& settings, const Program& program) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("LOCI_CUDA_DOUBLE", settings.c_str(), 1);
    _exit(program());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void make_context() {
  must(cu().cuInit(0));
  CUcontext context = nullptr;
  must(cu().cuDevicePrimaryCtxRetain(&context, 0));
  must(cu().cuCtxSetCurrent(context));
}

// Does what a plugin does that copies on one stream and computes on another.
int copy_and_compute(bool waits) {
  make_context();
  Stream copies;
  Stream computes;
  Event copied(CU_EVENT_DISABLE_TIMING);
  DeviceMemory input(4096);
  PinnedMemory host(4096);
  must(cu().cuMemcpyHtoDAsync(input, host.data(), 4096, copies));
  must(cu().cuEventRecord(copied, copies));
  if (waits) must(cu().cuStreamWaitEvent(computes, copied, 0));
  must(cu().cuMemsetD32Async(input, 1, 16, computes));
  must(cu().cuCtxSynchronize());
  return finding_count() == 0 ? 0 : finding(0).find("race: cuMem") == 0 ? 1 : 2;
}

TEST_F(DoubleFresh, SaysThatItIsEmulated) {
  start("devices=2");
  char name[100];
  must(cu().cuDeviceGetName(name, sizeof name, 1));
  EXPECT_NE(std::string(name).find("emulated"), std::string::npos) << name;
  int count = 0;
  must(cu().cuDeviceGetCount(&count));
  EXPECT_EQ(count, 2);
}

TEST_F(DoubleFresh, BadSettingsEndInitialisation) {
  setenv("LOCI_CUDA_DOUBLE", "memory=much", 1);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cu().cuInit(0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "[cuda double] LOCI_CUDA_DOUBLE: 'memory=much': needs a whole number\n");
}

TEST_F(DoubleFresh, MemoryIsWhatTheSettingSays) {
  start("memory=64M");
  std::size_t total = 0;
  must(cu().cuDeviceTotalMem(&total, 0));
  EXPECT_EQ(total, std::size_t{64} << 20);
  CUdeviceptr address = 0;
  must(cu().cuMemAlloc(&address, 60 << 20));
  CUdeviceptr more = 0;
  EXPECT_EQ(cu().cuMemAlloc(&more, 8 << 20), CUDA_ERROR_OUT_OF_MEMORY);
  must(cu().cuMemFree(address));
  EXPECT_EQ(cu().cuMemAlloc(&more, 8 << 20), CUDA_SUCCESS);
}

TEST_F(DoubleFresh, CallsFailAsPlanned) {
  start("fail=cuMemAlloc:2:700,fail=cuStreamCreate:1:999");
  CUdeviceptr address = 0;
  EXPECT_EQ(cu().cuMemAlloc(&address, 16), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuMemAlloc(&address, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu().cuMemAlloc(&address, 16), CUDA_SUCCESS);
  CUstream stream = nullptr;
  EXPECT_EQ(cu().cuStreamCreate(&stream, 0), CUDA_ERROR_UNKNOWN);
}

TEST_F(DoubleFresh, AllocationsFailAsPlanned) {
  start("fail_alloc=2");
  CUdeviceptr address = 0;
  EXPECT_EQ(cu().cuMemAlloc(&address, 16), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuMemAllocAsync(&address, 16, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cu().cuMemAlloc(&address, 16), CUDA_SUCCESS);
}

TEST_F(DoubleFresh, RefusalsAreExplained) {
  start("log=errors");
  ::testing::internal::CaptureStderr();
  cu().cuMemFree(12345);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "[cuda double] cuMemFree_v2 #1: CUDA_ERROR_INVALID_VALUE: no memory begins there\n");
}

TEST_F(DoubleFresh, FunctionsThatAreNotThereSaySoOnce) {
  start("");
  const auto absent = reinterpret_cast<CUresult (*)()>(dlsym(driver().library, "cuTexRefCreate"));
  ASSERT_NE(absent, nullptr);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(absent(), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(absent(), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "[cuda double] cuTexRefCreate is not there\n");
}

TEST_F(DoubleFresh, AMissingWaitIsFoundAtEverySeed) {
  for (int seed = 0; seed < 10; ++seed) {
    const std::string settings = "latency_us=200,seed=" + std::to_string(seed);
    EXPECT_EQ(in_another_process(settings, [] { return copy_and_compute(false); }), 1) << settings;
    EXPECT_EQ(in_another_process(settings, [] { return copy_and_compute(true); }), 0) << settings;
  }
}

TEST_F(DoubleFresh, AFindingEndsTheProcessIfThatIsAsked) {
  EXPECT_EQ(in_another_process("findings=abort", [] { return copy_and_compute(false); }), -1);
}

TEST_F(DoubleFresh, MemoryFreedBehindOneStreamAndUsedOnAnotherIsARace) {
  start("");
  Stream one;
  Stream other;
  CUdeviceptr address = 0;
  must(cu().cuMemAllocAsync(&address, 4096, one));
  must(cu().cuStreamSynchronize(one));
  must(cu().cuMemsetD8Async(address, 1, 4096, other));
  must(cu().cuMemFreeAsync(address, one));
  must(cu().cuCtxSynchronize());
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_NE(finding(0).find("race"), std::string::npos) << finding(0);
}

TEST_F(DoubleFresh, KernelsRaceByTheBytesThatTheyTouch) {
  start("");
  Stream one;
  Stream other;
  DeviceMemory memory(64);
  must(launch_store(one, memory, 1));
  must(launch_store(other, memory + 32, 2));
  must(cu().cuCtxSynchronize());
  EXPECT_EQ(finding_count(), 0u) << finding(0);
  must(launch_store(one, memory, 3));
  must(launch_store(other, memory, 4));
  must(cu().cuCtxSynchronize());
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_NE(finding(0).find("store at PTX line"), std::string::npos) << finding(0);
}

TEST_F(DoubleFresh, GraphsAreLookedInto) {
  start("");
  Stream stream;
  Stream side;
  DeviceMemory memory(64);
  Event forked(CU_EVENT_DISABLE_TIMING);
  Event joined(CU_EVENT_DISABLE_TIMING);
  kernel("store");  // a module that is loaded in a capture ends it
  must(cu().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  must(cu().cuEventRecord(forked, stream));
  must(cu().cuStreamWaitEvent(side, forked, 0));
  must(launch_store(stream, memory, 1));
  must(launch_store(side, memory, 2));  // beside the other, on the same word
  must(cu().cuEventRecord(joined, side));
  must(cu().cuStreamWaitEvent(stream, joined, 0));
  CUgraph graph = nullptr;
  must(cu().cuStreamEndCapture(stream, &graph));
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  must(cu().cuGraphLaunch(exec, stream));
  must(cu().cuStreamSynchronize(stream));
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_NE(finding(0).find("race: "), std::string::npos) << finding(0);
}

TEST_F(DoubleFresh, AKernelThatFailsIsNamedWithItsPlace) {
  start("");
  Stream stream;
  must(launch_store(stream, 0x10, 1));
  EXPECT_EQ(cu().cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_NE(finding(0).find("[store] writes 4 bytes at 0x10"), std::string::npos) << finding(0);
  EXPECT_NE(finding(0).find("PTX line"), std::string::npos) << finding(0);
}

// A pool hands out more than it is asked for, and the rest is nobody's.
TEST_F(DoubleFresh, AWriteBehindMemoryOfAPoolIsFound) {
  start("");
  CUdeviceptr first = 0;
  must(cu().cuMemAllocAsync(&first, 512, nullptr));
  must(cu().cuMemFreeAsync(first, nullptr));
  CUdeviceptr address = 0;
  must(cu().cuMemAllocAsync(&address, 12, nullptr));
  EXPECT_EQ(address, first);
  must(launch_store(nullptr, address + 8, 1));
  must(cu().cuCtxSynchronize());
  must(launch_store(nullptr, address + 12, 1));
  EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(finding(0).find("0 bytes past the end of allocation"), std::string::npos) << finding(0);
}

// The host is ahead of the device: work that was enqueued before the free still has all of it.
TEST_F(DoubleFresh, MemoryOfAPoolIsUsedAgainInTheOrderOfTheStream) {
  start("");
  kernel("store");  // to load a module waits for all work
  Stream stream;
  Gate gate;
  PinnedMemory host(512);
  CUdeviceptr first = 0;
  must(cu().cuMemAllocAsync(&first, 512, stream));
  gate.close(stream);
  must(cu().cuMemsetD32Async(first, 5, 128, stream));
  must(launch_store(stream, first + 508, 6));
  must(cu().cuMemcpyDtoHAsync(host.data(), first, 512, stream));
  must(cu().cuMemFreeAsync(first, stream));
  CUdeviceptr again = 0;
  must(cu().cuMemAllocAsync(&again, 12, stream));
  EXPECT_EQ(again, first);
  gate.open();
  stream.synchronize();
  EXPECT_EQ(host.words()[127], 6u);
  EXPECT_EQ(finding_count(), 0u) << finding(0);
}

// Frees memory, then so many others, and gives what a kernel is told that uses the first.
std::string use_after(int frees) {
  CUdeviceptr first = 0;
  must(cu().cuMemAlloc(&first, 64));
  must(cu().cuMemFree(first));
  for (int i = 0; i < frees; ++i) {
    CUdeviceptr other = 0;
    must(cu().cuMemAlloc(&other, 64));
    must(cu().cuMemFree(other));
  }
  launch_store(nullptr, first, 1);
  cu().cuCtxSynchronize();
  return finding(0);
}

TEST_F(DoubleFresh, FreedMemoryIsKnownForAWhile) {
  start("");
  EXPECT_NE(use_after(31).find("freed by cuMemFree_v2 #1"), std::string::npos) << finding(0);
}

TEST_F(DoubleFresh, FreedMemoryIsForgottenBehindOthers) {
  start("");
  EXPECT_EQ(use_after(32).find("freed by cuMemFree_v2 #1)"), std::string::npos) << finding(0);
}

TEST_F(DoubleFresh, FreedMemoryIsKnownForAsLongAsTheSettingSays) {
  start("quarantine=100");
  EXPECT_NE(use_after(99).find("freed by cuMemFree_v2 #1"), std::string::npos) << finding(0);
}

TEST_F(DoubleFresh, AQuarantineOfBytesHoldsAsMuch) {
  start("quarantine=1K");  // of two allocations, each with a gap behind it
  EXPECT_NE(use_after(1).find("freed by cuMemFree_v2 #1"), std::string::npos) << finding(0);
}

TEST_F(DoubleFresh, AQuarantineOfBytesHoldsNoMore) {
  start("quarantine=1K");
  EXPECT_EQ(use_after(2).find("freed by cuMemFree_v2 #1)"), std::string::npos) << finding(0);
}

TEST_F(DoubleFresh, TheProgramCountsCallsAndPlansAFailure) {
  start("");
  const auto count = double_function<unsigned long long()>("loci_cuda_double_call_count");
  const auto plan = double_function<void(unsigned long long, int)>("loci_cuda_double_plan_failure");
  const auto failed = double_function<const char*()>("loci_cuda_double_failed_function");
  const auto before = count();
  CUdeviceptr address = 0;
  must(cu().cuMemAlloc(&address, 64));
  EXPECT_EQ(count(), before + 1);
  EXPECT_EQ(failed(), nullptr);
  plan(2, CUDA_ERROR_LAUNCH_FAILED);
  must(cu().cuCtxSynchronize());
  EXPECT_EQ(failed(), nullptr);
  EXPECT_EQ(cu().cuMemsetD8(address, 0, 64), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_STREQ(failed(), "cuMemsetD8_v2");
  must(cu().cuMemsetD8(address, 0, 64));
  plan(1, CUDA_ERROR_LAUNCH_FAILED);
  plan(0, 0);
  must(cu().cuMemsetD8(address, 0, 64));
}

TEST_F(DoubleFresh, WhatTheHostWaitedForIsNoRace) {
  start("");
  Stream one;
  Stream other;
  DeviceMemory memory(64);
  must(cu().cuMemsetD8Async(memory, 1, 64, one));
  must(cu().cuStreamSynchronize(one));
  must(cu().cuMemsetD8Async(memory, 2, 64, other));
  must(cu().cuCtxSynchronize());
  EXPECT_EQ(finding_count(), 0u) << finding(0);
}

TEST_F(DoubleFresh, ADestroyedEventIsNamed) {
  start("");
  CUevent event = nullptr;
  must(cu().cuEventCreate(&event, 0));
  must(cu().cuEventDestroy(event));
  EXPECT_EQ(cu().cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_EQ(finding(0), "handle: a event was used after it was destroyed");
}

TEST_F(DoubleFresh, LeaksAreReportedAtTheContextsEnd) {
  start("checks=all");
  CUdeviceptr address = 0;
  must(cu().cuMemAlloc(&address, 1000));
  must(cu().cuDevicePrimaryCtxRelease(0));
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_NE(finding(0).find("leak: the context ends with"), std::string::npos) << finding(0);
  EXPECT_NE(finding(0).find("cuMemAlloc_v2 #1"), std::string::npos) << finding(0);
}

TEST_F(DoubleFresh, PageableCopiesThatWaitAreReportedIfAsked) {
  start("checks=all");
  DeviceMemory memory(1 << 20);
  std::vector<char> host(1 << 20);
  Stream stream;
  for (int i = 0; i < 3; ++i) {
    must(cu().cuMemcpyHtoDAsync(memory, host.data(), host.size(), stream));
  }
  must(cu().cuMemcpyHtoDAsync(memory, host.data(), 1 << 19, stream));
  ASSERT_EQ(finding_count(), 2u);
  EXPECT_EQ(finding(0),
            "pageable: cuMemcpyHtoDAsync_v2 copies 1048576 bytes of pageable memory and waits for "
            "them, first in cuMemcpyHtoDAsync_v2 #1");
  EXPECT_EQ(finding(1),
            "pageable: cuMemcpyHtoDAsync_v2 copies 524288 bytes of pageable memory and waits for "
            "them, first in cuMemcpyHtoDAsync_v2 #4");
}

TEST_F(DoubleFresh, UnwrittenMemoryThatIsCopiedToTheHostIsFound) {
  start("");
  CUdeviceptr address = 0;
  must(cu().cuMemAlloc(&address, 64));
  char host[64];
  must(cu().cuMemcpyDtoH(host, address, 64));
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_NE(finding(0).find("undefined: "), std::string::npos) << finding(0);
}

}  // namespace
}  // namespace loci::cuda_rules
