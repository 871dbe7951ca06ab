// Captures of others, by the driver's own functions, in modes that forbid memory to be taken
// meanwhile: the plugin of the device takes it nevertheless, and the capture goes on.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/plugins/cuda_graph/rig.h"

namespace loci::testing {
namespace {

// A stream that this thread captures.
class ForeignCapture {
 public:
  ForeignCapture(Rig& rig, CUstreamCaptureMode mode) {
    void* context = nullptr;
    const std::string name = "cuda.context";
    rig.check(rig.device_api().native_handle(rig.device(), nullptr, text_of(name), &context));
    const auto push = driver_function<decltype(::cuCtxPushCurrent)>("cuCtxPushCurrent_v2");
    const auto create = driver_function<decltype(::cuStreamCreate)>("cuStreamCreate");
    const auto begin = driver_function<decltype(::cuStreamBeginCapture)>("cuStreamBeginCapture_v2");
    EXPECT_EQ(push(static_cast<CUcontext>(context)), CUDA_SUCCESS);
    EXPECT_EQ(create(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    EXPECT_EQ(begin(stream_, mode), CUDA_SUCCESS);
  }
  ~ForeignCapture() {
    CUgraph graph = nullptr;
    CUcontext popped = nullptr;
    if (driver_function<decltype(::cuStreamEndCapture)>("cuStreamEndCapture")(stream_, &graph) ==
        CUDA_SUCCESS) {
      driver_function<decltype(::cuGraphDestroy)>("cuGraphDestroy")(graph);
    }
    driver_function<decltype(::cuStreamDestroy)>("cuStreamDestroy_v2")(stream_);
    driver_function<decltype(::cuCtxPopCurrent)>("cuCtxPopCurrent_v2")(&popped);
  }
  ForeignCapture(const ForeignCapture&) = delete;
  ForeignCapture& operator=(const ForeignCapture&) = delete;

  [[nodiscard]] CUstreamCaptureStatus status() const {
    const auto ask = driver_function<decltype(::cuStreamIsCapturing)>("cuStreamIsCapturing");
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    EXPECT_EQ(ask(stream_, &status), CUDA_SUCCESS);
    return status;
  }

 private:
  CUstream stream_ = nullptr;
};

CUstreamCaptureMode mode_of_this_thread() {
  const auto exchange = driver_function<decltype(::cuThreadExchangeStreamCaptureMode)>(
      "cuThreadExchangeStreamCaptureMode");
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_EQ(exchange(&mode), CUDA_SUCCESS);
  CUstreamCaptureMode back = mode;
  EXPECT_EQ(exchange(&back), CUDA_SUCCESS);
  return mode;
}

// All that an allocator does to grow and to shrink, on either kind of memory.
void grow_and_shrink(Rig& rig) {
  const loci_device_api& device = rig.device_api();
  for (const std::uint32_t kind : {LOCI_MEMORY_DEVICE, LOCI_MEMORY_PINNED}) {
    void* memory = nullptr;
    rig.check(device.mem_alloc(rig.device(), kind, 1 << 16, nullptr, &memory));
    rig.check(device.mem_free(rig.device(), kind, memory, nullptr));
  }
  std::vector<char> host(1 << 16);
  rig.check(device.host_register(rig.device(), host.data(), host.size()));
  rig.check(device.host_unregister(rig.device(), host.data()));
}

TEST(CudaGraphForeignCaptureTest, MemoryIsTakenInEachMode) {
  Rig rig;
  for (const CUstreamCaptureMode mode :
       {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
        CU_STREAM_CAPTURE_MODE_RELAXED}) {
    const ForeignCapture capture(rig, mode);
    grow_and_shrink(rig);
    EXPECT_EQ(capture.status(), CU_STREAM_CAPTURE_STATUS_ACTIVE) << "mode " << mode;
    EXPECT_EQ(mode_of_this_thread(), CU_STREAM_CAPTURE_MODE_GLOBAL) << "as it was before";
  }
}

TEST(CudaGraphForeignCaptureTest, MemoryIsTakenByAnotherThread) {
  Rig rig;
  const ForeignCapture capture(rig, CU_STREAM_CAPTURE_MODE_GLOBAL);
  std::thread([&rig] { grow_and_shrink(rig); }).join();
  EXPECT_EQ(capture.status(), CU_STREAM_CAPTURE_STATUS_ACTIVE);
}

// While the capturer records, memory in the order of that stream is no node of the graph's.
TEST(CudaGraphForeignCaptureTest, MemoryOfAStreamThatRecordsIsNoNode) {
  Rig rig;
  const ForeignCapture capture(rig, CU_STREAM_CAPTURE_MODE_GLOBAL);
  rig.begin();
  rig.announce("copy", 1);
  void* memory = nullptr;
  rig.check(
      rig.device_api().mem_alloc(rig.device(), LOCI_MEMORY_DEVICE, 4096, rig.stream(), &memory));
  rig.copy(0, 1);
  loci_graph* graph = rig.end();
  EXPECT_EQ(rig.dump(graph), "0 copy, item 1: copy of 8 bytes\n");
  EXPECT_EQ(capture.status(), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  rig.api().destroy_graph(graph);
  rig.check(rig.device_api().mem_free(rig.device(), LOCI_MEMORY_DEVICE, memory, nullptr));
}

// Without a guard it is forbidden, and the capture is spoilt.
TEST(CudaGraphForeignCaptureTest, TheDriverItselfRefuses) {
  Rig rig;
  const ForeignCapture capture(rig, CU_STREAM_CAPTURE_MODE_GLOBAL);
  CUdeviceptr memory = 0;
  EXPECT_EQ(driver_function<decltype(::cuMemAlloc)>("cuMemAlloc_v2")(&memory, 64),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(capture.status(), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
}

}  // namespace
}  // namespace loci::testing
