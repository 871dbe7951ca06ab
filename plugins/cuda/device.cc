#include "device.h"

#include <utility>

#include "graph_launches.h"
#include "open_devices.h"
#include "pinned_ranges.h"
#include "plugin.h"
#include "status.h"

namespace loci::cuda {
namespace {

// The alignment, in bytes, of cuMemAlloc and of all allocation functions of the driver.
constexpr std::uint64_t kAlignment = 256;

const DeviceEntry& entry_at(Plugin& plugin, std::uint32_t index) {
  const DeviceList& list = plugin.list();
  if (index < list.devices.size()) return list.devices[index];
  const std::string why =
      list.devices.empty()
          ? list.reason
          : "there are " + std::to_string(list.devices.size()) + "; see CUDA_VISIBLE_DEVICES";
  throw sdk::Error(LOCI_CODE_NOT_FOUND,
                   "[cuda] there is no device " + std::to_string(index) + ": " + why);
}

}  // namespace

sdk::Probe Device::probe(Plugin& plugin) {
  const DeviceList& list = plugin.list();
  return list.devices.empty() ? sdk::Probe{0, list.reason} : sdk::Probe{1};
}

std::uint32_t Device::count(Plugin& plugin) {
  return static_cast<std::uint32_t>(plugin.list().devices.size());
}

void Device::describe(Plugin& plugin, std::uint32_t index, loci_device_info& info) {
  const DeviceEntry& entry = entry_at(plugin, index);
  info.flags = LOCI_DEVICE_ACCELERATOR;
  info.name = sdk::to_abi(entry.name);
  info.arch = sdk::to_abi(entry.arch);
  info.uuid = sdk::to_abi(entry.uuid);
  info.driver = sdk::to_abi(plugin.driver().version());
  info.total_memory = entry.memory;
  info.alignment = kAlignment;
  info.min_chunk = kAlignment;
  info.compute_units = entry.multiprocessors;
  info.greatest_priority = entry.greatest_priority;
  info.peak_flops = entry.peak_flops;
  info.peak_bytes = entry.peak_bytes;
}

Device::Device(Plugin& plugin, const sdk::Host& host, std::uint32_t index)
    : driver_(plugin.driver()),
      pinned_(plugin.pinned()),
      open_devices_(plugin.open_devices()),
      entry_(entry_at(plugin, index)),
      index_(index),
      place_("cuda:" + std::to_string(index)),
      faults_(plugin.faults(), place_),
      modules_(*this),
      chains_(plugin, *this, host),
      is_blocking_(plugin.is_blocking()),
      cublaslt_(plugin, *this),
      cudnn_(plugin, *this),
      event_times_(*this, plugin.profile_source().event_session(), host),
      graph_trace_(*this) {
  check(driver_->cuDevicePrimaryCtxRetain(&context_, entry_.handle), "opening the device");
  try {
    const CurrentContext current(*this);
    const RelaxedCapture relaxed(driver_);
    check(driver_->cuStreamCreateWithPriority(&watch_, CU_STREAM_NON_BLOCKING, 0),
          "opening the device");
    index_record_.emplace(*this);
    open_devices_.add(*this);
  } catch (...) {
    driver_->cuDevicePrimaryCtxRelease(entry_.handle);
    throw;
  }
}

Device::~Device() {
  chains_.stop();
  {
    const CurrentContext current(*this, CurrentContext::ToGiveBack{});
    open_devices_.remove(*this, [this] { event_times_.leave(); });
    cublaslt_.destroy();
    cudnn_.destroy();
    modules_.unload();
    driver_->cuStreamDestroy(watch_);
    index_record_.reset();
  }
  driver_->cuDevicePrimaryCtxRelease(entry_.handle);
}

void Device::fail(CUresult status, const char* action) {
  if (!is_sticky(status)) throw status_error(driver_, status, place_, action);
  const Suspects::Verdict verdict = suspects_.judge();
  {
    const std::lock_guard lock(mutex_);
    if (lost_by_.empty()) {
      const std::string index = index_record_ ? index_record_->text() : std::string();
      lost_by_ = status_text(driver_, status) + index + verdict.text;
      lost_to_ = verdict.correlation;
    }
  }
  is_lost_.store(true, std::memory_order_release);
  throw_lost();
}

void Device::throw_lost() const {
  const std::lock_guard lock(mutex_);
  throw sdk::Error(LOCI_CODE_DEVICE_LOST,
                   "[cuda] " + place_ + " is lost: work that it was given before ended with " +
                       lost_by_ +
                       ". Its context does nothing any more; save what the host has and start "
                       "the program again, under compute-sanitizer to find the kernel");
}

void* Device::mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream* stream) {
  const CurrentContext current(*this);
  faults_.enter_alloc();
  if (kind == LOCI_MEMORY_PINNED) return allocate_pinned(bytes);
  CUdeviceptr address = 0;
  // In a capture an allocation of the stream's would become a part of the graph.
  if (stream != nullptr && !stream->is_capturing()) {
    check(driver_->cuMemAllocAsync(&address, bytes, stream->handle()), "allocating memory");
  } else {
    const RelaxedCapture relaxed(driver_);
    check(driver_->cuMemAlloc(&address, bytes), "allocating memory");
  }
  return reinterpret_cast<void*>(address);
}

void* Device::allocate_pinned(std::uint64_t bytes) {
  const RelaxedCapture relaxed(driver_);
  void* memory = nullptr;
  check(driver_->cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE), "pinning memory");
  pinned_.add(memory, bytes);
  return memory;
}

// Either function takes memory that either allocated.
void Device::mem_free(std::uint32_t kind, void* pointer, Stream* stream) {
  const CurrentContext current(*this, CurrentContext::ToGiveBack{});
  if (kind == LOCI_MEMORY_PINNED) return free_pinned(pointer, stream);
  const auto address = reinterpret_cast<CUdeviceptr>(pointer);
  if (stream != nullptr) {
    stream->refuse_while_recording("memory cannot be freed in the order of the stream");
    return check(driver_->cuMemFreeAsync(address, stream->handle()), "freeing memory");
  }
  const RelaxedCapture relaxed(driver_);
  check(driver_->cuMemFree(address), "freeing memory");
}

void Device::free_pinned(void* pointer, Stream* stream) {
  if (stream != nullptr) {
    check(driver_->cuStreamSynchronize(stream->handle()), "waiting to free pinned memory");
  }
  const RelaxedCapture relaxed(driver_);
  pinned_.remove(pointer);
  check(driver_->cuMemFreeHost(pointer), "freeing pinned memory");
}

void Device::mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  const CurrentContext current(*this);
  std::size_t free = 0;
  std::size_t total = 0;
  check(driver_->cuMemGetInfo(&free, &total), "asking for its memory");
  free_bytes = free;
  total_bytes = total;
}

void Device::host_register(void* pointer, std::uint64_t bytes) {
  const CurrentContext current(*this);
  const RelaxedCapture relaxed(driver_);
  check(driver_->cuMemHostRegister(pointer, bytes, CU_MEMHOSTREGISTER_PORTABLE),
        "pinning memory of the host");
  pinned_.add(pointer, bytes);
}

void Device::host_unregister(void* pointer) {
  const CurrentContext current(*this, CurrentContext::ToGiveBack{});
  const RelaxedCapture relaxed(driver_);
  pinned_.remove(pointer);
  check(driver_->cuMemHostUnregister(pointer), "unpinning memory of the host");
}

void Device::synchronize() {
  const CurrentContext current(*this);
  streams_.wait_for_all(*this);
  // The driver tells of failures in what it is asked, even where there was nothing to wait for.
  check(driver_->cuStreamSynchronize(watch_), "waiting for the device");
}

// The driver tells of a failure of enqueued work in whatever is called next, and not whose it was.
void Device::check_async(std::uint64_t& correlation) {
  try {
    look_for_errors();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    correlation = std::exchange(lost_to_, 0);
    throw;
  }
}

void Device::look_for_errors() {
  const CurrentContext current(*this);
  const RelaxedCapture relaxed(driver_);
  const CUresult status = driver_->cuStreamQuery(watch_);
  if (status != CUDA_ERROR_NOT_READY) check(status, "looking for errors");
}

void* Device::native_handle(Stream* stream, std::string_view name) {
  if (name == "cuda.driver") return driver_.library();
  if (name == "cuda.context") return context_;
  if (name == "cuda.stream" && stream != nullptr) return stream->handle();
  if (name == "cuda.graph.trace") return static_cast<GraphTrace*>(&graph_trace_);
  if (name == "cuda.stream.recording" && stream != nullptr) return &stream->recording();
  return nullptr;
}

void Device::require(const Stream* stream) {
  if (stream != nullptr) return;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   "[cuda] work needs a stream; pass one that stream_create made");
}

}  // namespace loci::cuda
