#include "tests/support/fake_device.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <thread>

#include "framework/core/abi/error.h"

namespace loci::test {
namespace {

class FakePlugin : public plugin::Plugin {
 public:
  FakePlugin(FakeBackend* backend, const FakeOptions& options)
      : backend_(backend),
        id_(options.plugin.empty() ? "test." + options.type : options.plugin),
        path_("(in the test)") {}
  [[nodiscard]] const std::string& id() const override { return id_; }
  [[nodiscard]] const std::string& path() const override { return path_; }
  [[nodiscard]] loci_plugin* handle() const override {
    return reinterpret_cast<loci_plugin*>(backend_);
  }

 private:
  FakeBackend* backend_;
  std::string id_;
  std::string path_;
};

class FakeStream;

struct FakeDevice {
  FakeBackend* backend = nullptr;
  std::mutex mutex;
  std::map<void*, std::uint64_t> live;
  std::uint64_t used = 0;
  std::set<FakeStream*> streams;
};

class FakeStream {
 public:
  explicit FakeStream(FakeDevice* owner) : device(owner), worker_([this] { run(); }) {}
  ~FakeStream() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  void enqueue(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
      ++pending_;
    }
    changed_.notify_all();
  }

  bool done() {
    const std::lock_guard lock(mutex_);
    return pending_ == 0;
  }

  void synchronize() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return pending_ == 0; });
  }

  FakeDevice* device;

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
      --pending_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::size_t pending_ = 0;
  bool stopping_ = false;
  std::thread worker_;
};

// One record of an event; waiters of an earlier record are not affected by a later one.
struct Mark {
  std::mutex mutex;
  std::condition_variable changed;
  bool reached = false;
  std::chrono::steady_clock::time_point at;

  void reach() {
    const std::lock_guard lock(mutex);
    reached = true;
    at = std::chrono::steady_clock::now();
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return reached; });
  }
};

struct FakeEvent {
  FakeDevice* device;
  std::mutex mutex;
  std::shared_ptr<Mark> latest;

  std::shared_ptr<Mark> mark() {
    const std::lock_guard lock(mutex);
    return latest;
  }
};

FakeBackend* backend_of(loci_plugin* plugin) { return reinterpret_cast<FakeBackend*>(plugin); }
FakeDevice* device_of(loci_device* device) { return reinterpret_cast<FakeDevice*>(device); }
FakeStream* stream_of(loci_stream* stream) { return reinterpret_cast<FakeStream*>(stream); }
FakeEvent* event_of(loci_event* event) { return reinterpret_cast<FakeEvent*>(event); }
loci_str view(const std::string& text) { return core::to_abi(text); }

void run_on(loci_stream* stream, std::function<void()> task) {
  if (stream == nullptr) {
    task();
  } else {
    stream_of(stream)->enqueue(std::move(task));
  }
}

loci_error* count(loci_plugin* plugin, std::uint32_t* out_count) {
  *out_count = backend_of(plugin)->options().count;
  return backend_of(plugin)->take_fault("count");
}

loci_error* describe(loci_plugin* plugin, std::uint32_t index, loci_device_info* info) {
  static const std::string driver = "1.0";
  const FakeOptions& options = backend_of(plugin)->options();
  info->flags = options.flags;
  info->name = view(options.type);
  info->driver = view(driver);
  info->total_memory = options.memory;
  info->alignment = options.alignment;
  info->min_chunk = options.min_chunk;
  info->compute_units = index + 1;
  info->least_priority = options.least_priority;
  info->greatest_priority = options.greatest_priority;
  info->max_allocations = options.max_allocations;
  return backend_of(plugin)->take_fault("describe");
}

loci_error* open(loci_plugin* plugin, std::uint32_t, loci_device** out_device) {
  if (loci_error* fault = backend_of(plugin)->take_fault("open")) return fault;
  auto* device = new FakeDevice;
  device->backend = backend_of(plugin);
  ++device->backend->counters().open_devices;
  *out_device = reinterpret_cast<loci_device*>(device);
  return nullptr;
}

void close(loci_device* device) {
  --device_of(device)->backend->counters().open_devices;
  // Nobody has destroyed the streams of a device that is out of reach.
  for (FakeStream* stream : device_of(device)->streams) delete stream;
  delete device_of(device);
}

loci_error* mem_alloc(loci_device* handle, std::uint32_t kind, std::uint64_t bytes, loci_stream*,
                      void** out_pointer) {
  FakeDevice& device = *device_of(handle);
  if (kind != LOCI_MEMORY_DEVICE && !device.backend->options().has_pinned_memory) {
    return core::make_error(Error(ErrorCode::kUnsupported, "the fake has no pinned memory"));
  }
  if (loci_error* fault = device.backend->take_fault("mem_alloc")) return fault;
  const FakeOptions& options = device.backend->options();
  const std::lock_guard lock(device.mutex);
  if (bytes > options.memory - device.used) {
    return core::make_error(Error(ErrorCode::kOutOfMemory, "the fake has no memory left"));
  }
  if (options.max_allocations != 0 && device.live.size() >= options.max_allocations) {
    return core::make_error(Error(ErrorCode::kOutOfMemory, "the fake has no allocation left"));
  }
  const std::uint64_t rounded =
      (bytes + options.alignment - 1) / options.alignment * options.alignment;
  *out_pointer = std::aligned_alloc(options.alignment, rounded);
  device.live[*out_pointer] = bytes;
  device.used += bytes;
  ++device.backend->counters().allocations;
  ++device.backend->counters().live_allocations;
  return nullptr;
}

loci_error* mem_free(loci_device* handle, std::uint32_t, void* pointer, loci_stream* stream) {
  FakeDevice& device = *device_of(handle);
  if (loci_error* fault = device.backend->take_fault("mem_free")) return fault;
  const std::lock_guard lock(device.mutex);
  const auto found = device.live.find(pointer);
  if (found == device.live.end()) {
    return core::make_error(Error(ErrorCode::kInvalidArgument, "not an allocation of the fake"));
  }
  device.used -= found->second;
  device.live.erase(found);
  --device.backend->counters().live_allocations;
  run_on(stream, [pointer] { std::free(pointer); });
  return nullptr;
}

loci_error* mem_info(loci_device* handle, std::uint64_t* out_free, std::uint64_t* out_total) {
  FakeDevice& device = *device_of(handle);
  const std::lock_guard lock(device.mutex);
  *out_total = device.backend->options().memory;
  *out_free = *out_total - device.used;
  return nullptr;
}

std::atomic<std::uint64_t>& counter_of(FakeCounters& counters, const loci_copy& copy) {
  if (copy.source_end == LOCI_END_HOST) return counters.to_device;
  if (copy.target_end == LOCI_END_HOST) return counters.to_host;
  return copy.source_end == LOCI_END_PEER ? counters.from_peer : counters.on_device;
}

loci_error* copy(loci_device* handle, const loci_copy* request, loci_stream* stream,
                 std::uint32_t* out_blocked) {
  FakeBackend& backend = *device_of(handle)->backend;
  if (loci_error* fault = backend.take_fault("copy")) return fault;
  if (request->peer != nullptr && !backend.options().copies_peers) {
    return core::make_error(Error(ErrorCode::kUnsupported, "the fake copies no peers"));
  }
  counter_of(backend.counters(), *request) += request->row_bytes * request->rows;
  ++backend.counters().copies;
  run_on(stream,
         [request = *request] { std::memmove(request.target, request.source, request.row_bytes); });
  *out_blocked = stream == nullptr ? 1 : 0;
  return nullptr;
}

loci_error* stream_create(loci_device* device, std::int32_t priority, loci_stream** out_stream) {
  device_of(device)->backend->counters().last_priority = priority;
  if (loci_error* fault = device_of(device)->backend->take_fault("stream_create")) return fault;
  ++device_of(device)->backend->counters().live_streams;
  auto* stream = new FakeStream(device_of(device));
  const std::lock_guard lock(device_of(device)->mutex);
  device_of(device)->streams.insert(stream);
  *out_stream = reinterpret_cast<loci_stream*>(stream);
  return nullptr;
}

void stream_destroy(loci_stream* stream) {
  FakeDevice& device = *stream_of(stream)->device;
  {
    const std::lock_guard lock(device.mutex);
    device.streams.erase(stream_of(stream));
  }
  --device.backend->counters().live_streams;
  delete stream_of(stream);
}

loci_error* stream_query(loci_stream* stream, std::uint32_t* out_done) {
  if (loci_error* fault = stream_of(stream)->device->backend->take_fault("stream_query")) {
    return fault;
  }
  *out_done = stream_of(stream)->done() ? 1 : 0;
  return nullptr;
}

loci_error* stream_synchronize(loci_stream* stream) {
  stream_of(stream)->synchronize();
  return stream_of(stream)->device->backend->take_fault("stream_synchronize");
}

loci_error* stream_wait_event(loci_stream* stream, loci_event* event) {
  if (loci_error* fault = stream_of(stream)->device->backend->take_fault("stream_wait_event")) {
    return fault;
  }
  ++stream_of(stream)->device->backend->counters().event_waits;
  if (auto mark = event_of(event)->mark()) {
    stream_of(stream)->enqueue([mark] { mark->wait(); });
  }
  return nullptr;
}

loci_error* event_create(loci_device* device, std::uint32_t /*flags*/, loci_event** out_event) {
  *out_event = reinterpret_cast<loci_event*>(new FakeEvent{device_of(device), {}, nullptr});
  return nullptr;
}

void event_destroy(loci_event* event) { delete event_of(event); }

loci_error* event_record(loci_event* event, loci_stream* stream) {
  ++event_of(event)->device->backend->counters().events_recorded;
  auto mark = std::make_shared<Mark>();
  {
    const std::lock_guard lock(event_of(event)->mutex);
    event_of(event)->latest = mark;
  }
  run_on(stream, [mark] { mark->reach(); });
  return nullptr;
}

loci_error* event_query(loci_event* event, std::uint32_t* out_done) {
  const auto mark = event_of(event)->mark();
  if (mark == nullptr) {
    *out_done = 1;
    return nullptr;
  }
  const std::lock_guard lock(mark->mutex);
  *out_done = mark->reached ? 1 : 0;
  return nullptr;
}

loci_error* event_synchronize(loci_event* event) {
  if (auto mark = event_of(event)->mark()) mark->wait();
  return nullptr;
}

loci_error* event_elapsed_ns(loci_event* start, loci_event* end, std::uint64_t* out_ns) {
  const auto time = event_of(end)->mark()->at - event_of(start)->mark()->at;
  *out_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
  return nullptr;
}

loci_error* synchronize(loci_device* device) {
  const std::lock_guard lock(device_of(device)->mutex);
  for (FakeStream* stream : device_of(device)->streams) stream->synchronize();
  return device_of(device)->backend->take_fault("synchronize");
}

loci_error* take_async_error(loci_device* device, std::uint64_t* out_correlation) {
  *out_correlation = 0;
  return device_of(device)->backend->take_fault("take_async_error");
}

loci_device_api table(const FakeOptions& options) {
  loci_device_api api{.struct_size = sizeof(loci_device_api),
                      .device_type = view(options.type),
                      .count = count,
                      .describe = describe,
                      .open = open,
                      .close = close,
                      .mem_alloc = mem_alloc,
                      .mem_free = mem_free,
                      .mem_info = mem_info,
                      .copy = copy,
                      .synchronize = synchronize,
                      .take_async_error = take_async_error};
  if ((options.flags & LOCI_DEVICE_INLINE) != 0) return api;
  api.stream_create = stream_create;
  api.stream_destroy = stream_destroy;
  api.stream_query = stream_query;
  api.stream_synchronize = stream_synchronize;
  api.stream_wait_event = stream_wait_event;
  api.event_create = event_create;
  api.event_destroy = event_destroy;
  api.event_record = event_record;
  api.event_query = event_query;
  api.event_synchronize = event_synchronize;
  api.event_elapsed_ns = event_elapsed_ns;
  return api;
}

}  // namespace

FakeBackend::FakeBackend(FakeOptions options)
    : options_(std::move(options)), plugin_(std::make_unique<FakePlugin>(this, options_)) {
  backend_.plugin = plugin_.get();
  backend_.api = table(options_);
  backend_.device_type = options_.type;
  backend_.score = options_.score;
}

FakeBackend::~FakeBackend() = default;

void FakeBackend::fail_next(const std::string& function, ErrorCode code, const std::string& text) {
  const std::lock_guard lock(mutex_);
  faults_.push_back({function, code, text});
}

loci_error* FakeBackend::take_fault(const std::string& function) {
  const std::lock_guard lock(mutex_);
  for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
    if (fault->function != function) continue;
    loci_error* error = core::make_error(Error(fault->code, fault->text));
    faults_.erase(fault);
    return error;
  }
  return nullptr;
}

void enqueue(loci_stream* stream, std::function<void()> task) {
  stream_of(stream)->enqueue(std::move(task));
}

std::vector<std::string> FakeSource::device_types() {
  std::vector<std::string> types;
  for (FakeBackend* fake : backends_) types.push_back(fake->options().type);
  return types;
}

std::vector<const device::DeviceBackend*> FakeSource::backends(std::string_view device_type) {
  std::vector<const device::DeviceBackend*> found;
  for (FakeBackend* fake : backends_) {
    if (fake->options().type == device_type) found.push_back(&fake->backend());
  }
  return found;
}

std::string FakeSource::explain_missing(std::string_view device_type) {
  return reason_.empty() ? "" : std::string(device_type) + ": " + reason_;
}

}  // namespace loci::test
