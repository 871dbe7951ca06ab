#include "driver_test.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>

#include "kernels.h"

namespace loci::cuda_rules {
namespace {

constexpr auto kLongEnoughToReturn = std::chrono::milliseconds(300);

struct Primary {
  CUresult initialised = CUDA_ERROR_NOT_INITIALIZED;
  CUdevice device = -1;
  CUcontext context = nullptr;
  std::string unavailable;
};

Primary retain_primary() {
  Primary primary;
  primary.initialised = cu().cuInit(0);
  if (primary.initialised != CUDA_SUCCESS) {
    primary.unavailable = "cuInit: " + name_of(primary.initialised);
    return primary;
  }
  must(cu().cuDeviceGet(&primary.device, 0));
  must(cu().cuDevicePrimaryCtxRetain(&primary.context, primary.device));
  return primary;
}

const Primary& primary() {
  static const Primary retained = retain_primary();
  return retained;
}

std::exception_ptr run_guarded(CUcontext context, const std::function<void()>& call) {
  try {
    cu().cuCtxSetCurrent(context);
    call();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

// Loaded before a test holds up a stream: a driver may have to wait for all work to load a kernel.
void load_kernels() {
  for (const char* name : {"store", "increment", "spin", "index", "dynamic_shared", "static_shared",
                           "pair", "bounded", "empty", "bump", "read_constant", "trap"}) {
    must(cu().cuFuncLoad(kernel(name)));
  }
}

}  // namespace

void OpenedDriverTest::SetUp() {
  if (!driver().unavailable.empty()) GTEST_SKIP() << driver().unavailable;
  ASSERT_EQ(driver().missing, "") << "functions that " << driver().path << " lacks";
}

void DriverTest::SetUp() {
  OpenedDriverTest::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  if (!primary().unavailable.empty()) GTEST_SKIP() << primary().unavailable;
  must(cu().cuCtxSetCurrent(context()));
  static const bool loaded = (load_kernels(), true);
  static_cast<void>(loaded);
}

void DriverTest::TearDown() {
  if (IsSkipped() || context() == nullptr) return;
  must(cu().cuCtxSetCurrent(context()));
  EXPECT_EQ(name_of(cu().cuCtxSynchronize()), "CUDA_SUCCESS") << "the test left an error behind";
}

CUdevice DriverTest::device() { return primary().device; }

CUcontext DriverTest::context() { return primary().context; }

int DriverTest::attribute(CUdevice_attribute which) {
  int value = 0;
  must(cu().cuDeviceGetAttribute(&value, which, device()));
  return value;
}

Stream::Stream(unsigned flags) { must(cu().cuStreamCreate(&stream_, flags)); }

Stream::~Stream() { cu().cuStreamDestroy(stream_); }

void Stream::synchronize() const { must(cu().cuStreamSynchronize(stream_)); }

Event::Event(unsigned flags) { must(cu().cuEventCreate(&event_, flags)); }

Event::~Event() { cu().cuEventDestroy(event_); }

DeviceMemory::DeviceMemory(std::size_t bytes) {
  must(cu().cuMemAlloc(&address_, bytes));
  must(cu().cuMemsetD8(address_, 0, bytes));
  must(cu().cuCtxSynchronize());
}

DeviceMemory::~DeviceMemory() { cu().cuMemFree(address_); }

std::uint32_t DeviceMemory::word(std::size_t index) const {
  std::uint32_t value = 0;
  must(cu().cuMemcpyDtoH(&value, address_ + index * sizeof value, sizeof value));
  return value;
}

std::uint8_t DeviceMemory::byte(std::size_t index) const {
  std::uint8_t value = 0;
  must(cu().cuMemcpyDtoH(&value, address_ + index, 1));
  return value;
}

PinnedMemory::PinnedMemory(std::size_t bytes) {
  must(cu().cuMemHostAlloc(&data_, bytes, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE));
  std::memset(data_, 0, bytes);
}

PinnedMemory::~PinnedMemory() { cu().cuMemFreeHost(data_); }

CUdeviceptr PinnedMemory::address() const {
  CUdeviceptr address = 0;
  must(cu().cuMemHostGetDevicePointer(&address, data_, 0));
  return address;
}

Gate::~Gate() {
  open();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return inside_ == 0; });
}

void Gate::close(CUstream stream) {
  {
    const std::lock_guard lock(mutex_);
    ++inside_;
  }
  const CUresult code = cu().cuLaunchHostFunc(stream, hold, this);
  if (code == CUDA_SUCCESS) return;
  {
    const std::lock_guard lock(mutex_);
    --inside_;
  }
  must(code);
}

void Gate::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

void CUDA_CB Gate::hold(void* gate) {
  auto* self = static_cast<Gate*>(gate);
  std::unique_lock lock(self->mutex_);
  self->changed_.wait(lock, [self] { return self->open_; });
  --self->inside_;
  self->changed_.notify_all();
}

std::string blocks_until_open(Gate& gate, CUcontext context, const std::function<void()>& call) {
  std::atomic<bool> returned = false;
  std::exception_ptr failure;
  std::thread caller([&] {
    failure = run_guarded(context, call);
    returned = true;
  });
  const auto limit = std::chrono::steady_clock::now() + kLongEnoughToReturn;
  while (!returned && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  const bool blocked = !returned;
  gate.open();
  caller.join();
  if (failure != nullptr) std::rethrow_exception(failure);
  return blocked ? "blocks" : "returns";
}

void on_another_thread(CUcontext context, const std::function<void()>& call) {
  std::exception_ptr failure;
  std::thread([&] { failure = run_guarded(context, call); }).join();
  if (failure != nullptr) std::rethrow_exception(failure);
}

CUfunction kernel(const char* name) {
  static CUmodule module = nullptr;
  if (module == nullptr) must(cu().cuModuleLoadData(&module, kKernels));
  CUfunction function = nullptr;
  must(cu().cuModuleGetFunction(&function, module, name));
  return function;
}

CUresult launch_store(CUstream stream, CUdeviceptr address, std::uint32_t value) {
  void* parameters[] = {&address, &value};
  return cu().cuLaunchKernel(kernel("store"), 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
}

CUresult launch_increment(CUstream stream, CUdeviceptr address) {
  void* parameters[] = {&address};
  return cu().cuLaunchKernel(kernel("increment"), 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
}

CUresult launch_spin(CUstream stream, CUdeviceptr flag) {
  void* parameters[] = {&flag};
  return cu().cuLaunchKernel(kernel("spin"), 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
}

CUgraph graph_of_store(CUdeviceptr address, std::uint32_t value, CUgraphNode* node) {
  CUgraph graph = nullptr;
  must(cu().cuGraphCreate(&graph, 0));
  void* arguments[] = {&address, &value};
  CUDA_KERNEL_NODE_PARAMS parameters{};
  parameters.func = kernel("store");
  parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = arguments;
  CUgraphNode added = nullptr;
  must(cu().cuGraphAddKernelNode(&added, graph, nullptr, 0, &parameters));
  if (node != nullptr) *node = added;
  return graph;
}

}  // namespace loci::cuda_rules
