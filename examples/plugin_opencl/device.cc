#include "device.h"

#include "error.h"
#include "plugin.h"

namespace opencl {
namespace {

const DeviceEntry& entry_at(Plugin& plugin, std::uint32_t index) {
  const std::vector<DeviceEntry>& devices = plugin.list().devices;
  if (index < devices.size()) return devices[index];
  throw loci::sdk::Error(LOCI_CODE_NOT_FOUND, text("[opencl] there is no device ", index,
                                                   "; there are ", devices.size()));
}

Context make_context(cl_device_id device) {
  cl_int status = CL_SUCCESS;
  Context context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
  check(status, "opening a device");
  return context;
}

}  // namespace

loci::sdk::Probe Device::probe(Plugin& plugin) {
  const DeviceList& list = plugin.list();
  return list.devices.empty() ? loci::sdk::Probe{0, list.reason} : loci::sdk::Probe{1};
}

std::uint32_t Device::count(Plugin& plugin) {
  return static_cast<std::uint32_t>(plugin.list().devices.size());
}

void Device::describe(Plugin& plugin, std::uint32_t index, loci_device_info& info) {
  const DeviceEntry& entry = entry_at(plugin, index);
  info.flags = LOCI_DEVICE_ACCELERATOR;
  info.name = loci::sdk::to_abi(entry.name);
  info.arch = loci::sdk::to_abi(entry.version);
  info.driver = loci::sdk::to_abi(entry.driver);
  info.total_memory = entry.memory;
  info.alignment = entry.alignment;
  info.min_chunk = entry.alignment;
  info.compute_units = entry.units;
}

Device::Device(Plugin& plugin, const loci::sdk::Host&, std::uint32_t index)
    : entry_(entry_at(plugin, index)),
      context_(make_context(entry_.id)),
      own_queue_(make_queue()),
      pinned_(context_.get(), own_queue_.get()) {}

// With times, for events. In order, as a queue is unless it is asked for another.
Queue Device::make_queue() const {
  cl_int status = CL_SUCCESS;
  Queue queue(clCreateCommandQueue(context_.get(), entry_.id, CL_QUEUE_PROFILING_ENABLE, &status));
  check(status, "creating a queue");
  return queue;
}

void* Device::mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream*) {
  return kind == LOCI_MEMORY_PINNED ? pinned_.allocate(bytes) : allocate(bytes);
}

// A driver may put off finding out that there is no memory until a kernel needs it, so what the
// device has is counted here.
void* Device::allocate(std::uint64_t bytes) {
  claim(bytes);
  try {
    cl_int status = CL_SUCCESS;
    Buffer buffer(clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, bytes, nullptr, &status));
    if (status != CL_SUCCESS) throw error_of(status, text("allocating ", bytes, " bytes"));
    return space_.insert(std::move(buffer), bytes);
  } catch (...) {
    used_ -= bytes;
    throw;
  }
}

void Device::claim(std::uint64_t bytes) {
  for (std::uint64_t used = used_; bytes <= entry_.largest && bytes <= entry_.memory - used;) {
    if (used_.compare_exchange_weak(used, used + bytes)) return;
  }
  throw loci::sdk::Error(LOCI_CODE_OUT_OF_MEMORY,
                         text("[opencl] ", bytes, " bytes do not fit: ", used_, " of ",
                              entry_.memory, " are in use, and one allocation has ", entry_.largest,
                              " at most; use smaller tensors, or another device"));
}

void Device::mem_free(std::uint32_t kind, void* pointer, Stream* stream) {
  if (kind == LOCI_MEMORY_PINNED) {
    pinned_.release(pointer, stream == nullptr ? nullptr : stream->queue());
  } else {
    used_ -= space_.erase(pointer);
  }
}

void Device::mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) const {
  total_bytes = entry_.memory;
  free_bytes = entry_.memory - used_;
}

void Device::host_unregister(void* pointer) {
  pinned_.release(pointer, own_queue_.get());
  check(clFinish(own_queue_.get()), "unmapping pinned memory");
}

void Device::add(Stream& stream) {
  const std::lock_guard lock(streams_mutex_);
  streams_.insert(&stream);
}

void Device::remove(Stream& stream) {
  const std::lock_guard lock(streams_mutex_);
  streams_.erase(&stream);
}

void Device::synchronize() {
  const std::lock_guard lock(streams_mutex_);
  for (Stream* stream : streams_) stream->synchronize();
}

void Device::report(const char* what, std::uint64_t correlation, cl_int status) {
  const std::lock_guard lock(failure_mutex_);
  if (!failure_) failure_ = error_of(status, text(what, " (launch ", correlation, ")"));
}

void Device::check_async() {
  const std::lock_guard lock(failure_mutex_);
  if (!failure_) return;
  const loci::sdk::Error failure = *failure_;
  failure_.reset();
  throw failure;
}

void* Device::native_handle(Stream* stream, std::string_view name) const {
  if (name == "opencl.device") return entry_.id;
  if (name == "opencl.context") return context_.get();
  if (name == "opencl.queue" && stream != nullptr) return stream->queue();
  return nullptr;
}

void Device::require(const Stream* stream) {
  if (stream != nullptr) return;
  throw loci::sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                         "[opencl] work needs a stream; pass one that stream_create made");
}

}  // namespace opencl
