#include "device.h"

#include <cstring>

#include "plugin.h"

// The array that bin2c makes of relu.ptx.
extern "C" unsigned char relu_ptx[];

namespace mycuda {
namespace {

CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

CUstream handle_of(const Stream* stream) {
  if (stream != nullptr) return stream->handle();
  throw loci::sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[mycuda] work needs a stream; pass one");
}

// Done, or still at work; throws for anything else.
bool is_done(CUresult status, const char* action) {
  if (status != CUDA_ERROR_NOT_READY) check(status, action);
  return status == CUDA_SUCCESS;
}

}  // namespace

Current::Current(const Device& device) {
  check(driver().cuCtxPushCurrent(device.context()), "making a context current");
}

Current::~Current() {
  CUcontext popped = nullptr;
  driver().cuCtxPopCurrent(&popped);
}

Event::Event(Device& device, std::uint32_t flags) : device_(device) {
  const Current current(device);
  const bool is_timed = (flags & LOCI_EVENT_TIMED) != 0;
  check(driver().cuEventCreate(&handle_, is_timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING),
        "creating an event");
}

Event::~Event() { driver().cuEventDestroy(handle_); }

void Event::record(Stream* stream) {
  const Current current(device_);
  check(driver().cuEventRecord(handle_, handle_of(stream)), "recording an event");
}

bool Event::query() {
  const Current current(device_);
  return is_done(driver().cuEventQuery(handle_), "querying an event");
}

void Event::synchronize() {
  const Current current(device_);
  check(driver().cuEventSynchronize(handle_), "waiting for an event");
}

std::uint64_t Event::ns_until(Event& end) {
  const Current current(device_);
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, handle_, end.handle_), "timing events");
  return static_cast<std::uint64_t>(static_cast<double>(milliseconds) * 1e6);
}

Stream::Stream(Device& device) : device_(device) {
  const Current current(device);
  check(driver().cuStreamCreate(&handle_, CU_STREAM_NON_BLOCKING), "creating a stream");
}

Stream::~Stream() { driver().cuStreamDestroy(handle_); }

bool Stream::query() {
  const Current current(device_);
  return is_done(driver().cuStreamQuery(handle_), "querying a stream");
}

void Stream::synchronize() {
  const Current current(device_);
  check(driver().cuStreamSynchronize(handle_), "waiting for a stream");
}

void Stream::wait(Event& event) {
  const Current current(device_);
  check(driver().cuStreamWaitEvent(handle_, event.handle(), 0), "waiting for an event");
}

loci::sdk::Probe Device::probe(Plugin& plugin) {
  if (!driver().unavailable.empty()) return {0, driver().unavailable};
  return {count(plugin) > 0 ? 1 : 0, "there is no CUDA device"};
}

std::uint32_t Device::count(Plugin&) {
  int count = 0;
  if (driver().unavailable.empty()) check(driver().cuDeviceGetCount(&count), "counting devices");
  return static_cast<std::uint32_t>(count);
}

void Device::describe(Plugin& plugin, std::uint32_t index, loci_device_info& info) {
  const DeviceText& text = plugin.text(index);
  info.flags = LOCI_DEVICE_ACCELERATOR;
  info.name = loci::sdk::to_abi(text.name);
  info.total_memory = text.memory;
  info.alignment = 256;
  info.min_chunk = 256;
}

Device::Device(Plugin& plugin, const loci::sdk::Host&, std::uint32_t index)
    : device_(plugin.text(index).device) {
  check(driver().cuDevicePrimaryCtxRetain(&context_, device_), "opening a device");
  const Current current(*this);
  check(driver().cuModuleLoadData(&module_, relu_ptx), "loading relu.cu");
  check(driver().cuModuleGetFunction(&relu_, module_, "relu"), "looking for relu");
  check(driver().cuStreamCreate(&watch_, CU_STREAM_NON_BLOCKING), "opening a device");
}

Device::~Device() {
  driver().cuStreamDestroy(watch_);
  if (driver().cuCtxPushCurrent(context_) == CUDA_SUCCESS) {
    driver().cuModuleUnload(module_);
    CUcontext popped = nullptr;
    driver().cuCtxPopCurrent(&popped);
  }
  driver().cuDevicePrimaryCtxRelease(device_);
}

void* Device::mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream*) {
  if (kind != LOCI_MEMORY_DEVICE) {
    throw loci::sdk::Error(LOCI_CODE_UNSUPPORTED, "[mycuda] it has no pinned memory");
  }
  const Current current(*this);
  CUdeviceptr address = 0;
  check(driver().cuMemAlloc(&address, bytes), "allocating memory");
  return reinterpret_cast<void*>(address);
}

// The host's caching allocator calls it seldom, so that it may wait.
void Device::mem_free(std::uint32_t, void* pointer, Stream* stream) {
  const Current current(*this);
  if (stream != nullptr) stream->synchronize();
  check(driver().cuMemFree(address_of(pointer)), "freeing memory");
}

void Device::mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  const Current current(*this);
  std::size_t free = 0;
  std::size_t total = 0;
  check(driver().cuMemGetInfo(&free, &total), "asking for memory");
  free_bytes = free;
  total_bytes = total;
}

// Host memory is pageable, so that the host waits for a copy of it.
bool Device::copy(const loci_copy& copy, Stream* stream) {
  if (copy.source_end == LOCI_END_PEER || copy.target_end == LOCI_END_PEER) {
    throw loci::sdk::Error(LOCI_CODE_UNSUPPORTED, "[mycuda] copies between devices go by the host");
  }
  if (copy.rows == 0 || copy.row_bytes == 0) return false;
  const Current current(*this);
  const bool is_from_host = copy.source_end == LOCI_END_HOST;
  const bool is_to_host = copy.target_end == LOCI_END_HOST;
  CUDA_MEMCPY2D rows{};
  rows.srcMemoryType = is_from_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  rows.srcHost = copy.source;
  rows.srcDevice = address_of(copy.source);
  rows.srcPitch = copy.rows == 1 ? copy.row_bytes : copy.source_pitch;
  rows.dstMemoryType = is_to_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  rows.dstHost = copy.target;
  rows.dstDevice = address_of(copy.target);
  rows.dstPitch = copy.rows == 1 ? copy.row_bytes : copy.target_pitch;
  rows.WidthInBytes = copy.row_bytes;
  rows.Height = copy.rows;
  check(driver().cuMemcpy2DAsync(&rows, handle_of(stream)), "copying");
  if (is_from_host || is_to_host) stream->synchronize();
  return is_from_host || is_to_host;
}

void Device::fill(void* target, std::uint64_t bytes, const void* pattern,
                  std::uint32_t pattern_bytes, Stream* stream, std::uint64_t) {
  if (bytes == 0) return;
  const Current current(*this);
  const CUdeviceptr first = address_of(target);
  std::uint32_t words[2] = {0, 0};
  std::memcpy(words, pattern, pattern_bytes);
  CUresult status = CUDA_SUCCESS;
  if (pattern_bytes == 1) {
    status = driver().cuMemsetD8Async(first, static_cast<unsigned char>(words[0]), bytes,
                                      handle_of(stream));
  } else if (pattern_bytes == 2) {
    status = driver().cuMemsetD16Async(first, static_cast<unsigned short>(words[0]), bytes / 2,
                                       handle_of(stream));
  } else if (pattern_bytes == 4) {
    status = driver().cuMemsetD32Async(first, words[0], bytes / 4, handle_of(stream));
  } else {
    // Each half by itself, as a column of words.
    for (std::uint32_t half = 0; half < 2 && status == CUDA_SUCCESS; ++half) {
      status = driver().cuMemsetD2D32Async(first + 4 * half, 8, words[half], 1, bytes / 8,
                                           handle_of(stream));
    }
  }
  check(status, "filling memory");
}

void Device::synchronize() {
  const Current current(*this);
  check(driver().cuCtxSynchronize(), "waiting for a device");
}

void Device::check_async() {
  const Current current(*this);
  static_cast<void>(is_done(driver().cuStreamQuery(watch_), "work that was enqueued before"));
}

}  // namespace mycuda
