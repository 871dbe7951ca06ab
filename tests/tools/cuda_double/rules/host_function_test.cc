#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using HostFunction = DriverTest;
class HostFunctionFresh : public DriverTest {};  // a driver may hang

void CUDA_CB append(void* list) {
  auto* numbers = static_cast<std::vector<int>*>(list);
  numbers->push_back(static_cast<int>(numbers->size()));
}

TEST_F(HostFunction, RunsInStreamOrder) {
  Stream stream;
  std::vector<int> order;
  DeviceMemory memory(4);
  PinnedMemory seen(4);
  struct Look {
    PinnedMemory* pinned;
    std::uint32_t value;
  } look{&seen, 0};
  must(launch_store(stream, memory, 7));
  must(cu().cuMemcpyDtoHAsync(seen.data(), memory, 4, stream));
  expect("launch",
         cu().cuLaunchHostFunc(
             stream,
             [](void* data) {
               auto* at = static_cast<Look*>(data);
               at->value = at->pinned->words()[0];
             },
             &look),
         CUDA_SUCCESS);
  for (int i = 0; i < 5; ++i) must(cu().cuLaunchHostFunc(stream, append, &order));
  stream.synchronize();
  expect_value("sees what was before it", look.value, 7U);
  expect_value("how many", order.size(), 5);
}

TEST_F(HostFunctionFresh, MayNotCallTheDriver) {
  struct Seen {
    CUresult allocation = CUDA_SUCCESS;
    CUresult query = CUDA_SUCCESS;
    CUresult current = CUDA_SUCCESS;
    CUresult version = CUDA_SUCCESS;
    CUresult free = CUDA_SUCCESS;
  } seen;
  Stream stream;
  must(cu().cuLaunchHostFunc(
      stream,
      [](void* data) {
        auto* at = static_cast<Seen*>(data);
        CUdeviceptr address = 0;
        at->allocation = cu().cuMemAlloc(&address, 16);
        at->free = cu().cuMemFree(0);
        at->query = cu().cuStreamQuery(nullptr);
        CUcontext context = nullptr;
        at->current = cu().cuCtxGetCurrent(&context);
        int version = 0;
        at->version = cu().cuDriverGetVersion(&version);
      },
      &seen));
  stream.synchronize();
  expect("cuMemAlloc", seen.allocation, CUDA_ERROR_NOT_PERMITTED);
  record("cuMemFree of null", seen.free);
  record("cuStreamQuery", seen.query);
  record("cuCtxGetCurrent", seen.current);
  record("cuDriverGetVersion", seen.version);
}

TEST_F(HostFunction, RunsOnAThreadOfTheDriver) {
  Stream stream;
  std::thread::id id;
  must(cu().cuLaunchHostFunc(
      stream, [](void* data) { *static_cast<std::thread::id*>(data) = std::this_thread::get_id(); },
      &id));
  stream.synchronize();
  expect_value("is another thread", id != std::this_thread::get_id(), true);
}

TEST_F(HostFunction, OfTwoStreamsAtOnce) {
  // Each waits, for a second at most, until both are inside.
  struct Meeting {
    std::atomic<int> inside = 0;
    std::atomic<int> met = 0;
  } meeting;
  const auto meet = [](void* data) {
    auto* at = static_cast<Meeting*>(data);
    ++at->inside;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (at->inside < 2 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    if (at->inside == 2) ++at->met;
  };
  Stream first;
  Stream second;
  must(cu().cuLaunchHostFunc(first, meet, &meeting));
  must(cu().cuLaunchHostFunc(second, meet, &meeting));
  first.synchronize();
  second.synchronize();
  record("met", meeting.met.load());
}

TEST_F(HostFunction, DoesNotHoldUpOtherStreams) {
  Stream held;
  Stream other;
  DeviceMemory memory(4);
  Gate gate;
  gate.close(held);
  must(launch_store(other, memory, 1));
  expect("other", cu().cuStreamSynchronize(other), CUDA_SUCCESS);
  gate.open();
  held.synchronize();
}

TEST_F(HostFunction, Errors) {
  Stream stream;
  expect("null function", cu().cuLaunchHostFunc(stream, nullptr, nullptr),
         CUDA_ERROR_INVALID_VALUE);
}

TEST_F(HostFunction, CallbacksGetTheStatus) {
  struct Seen {
    CUresult status = CUDA_ERROR_UNKNOWN;
    CUstream stream = nullptr;
  } seen;
  Stream stream;
  expect("cuStreamAddCallback",
         cu().cuStreamAddCallback(
             stream,
             [](CUstream of, CUresult status, void* data) {
               *static_cast<Seen*>(data) = {status, of};
             },
             &seen, 0),
         CUDA_SUCCESS);
  stream.synchronize();
  expect("status", seen.status, CUDA_SUCCESS);
  EXPECT_EQ(seen.stream, static_cast<CUstream>(stream));
  expect("flags",
         cu().cuStreamAddCallback(
             stream, [](CUstream, CUresult, void*) {}, nullptr, 1),
         CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace loci::cuda_rules
