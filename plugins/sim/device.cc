#include "plugins/sim/device.h"

#include <fmt/format.h>

#include <utility>

#include "plugins/sim/copy_work.h"
#include "plugins/sim/graph_table.h"

namespace loci::sim {
namespace {

[[noreturn]] void refuse_request(const std::string& message) {
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, message);
}

void require_index(const Machine& machine, std::uint32_t index) {
  if (index < machine.settings.devices) return;
  throw sdk::Error(
      LOCI_CODE_NOT_FOUND,
      fmt::format("[sim] there is no device {}; there are {}, raise the setting devices", index,
                  machine.settings.devices));
}

Access access_of(const void* pointer, std::uint64_t bytes, bool writes) {
  const auto first = reinterpret_cast<std::uintptr_t>(pointer);
  return {first, first + bytes, writes};
}

Route route_of(const loci_copy& copy) {
  if (copy.source_end == LOCI_END_HOST) return Route::kToDevice;
  if (copy.target_end == LOCI_END_HOST) return Route::kToHost;
  const bool local = copy.source_end == LOCI_END_DEVICE && copy.target_end == LOCI_END_DEVICE;
  return local ? Route::kLocal : Route::kPeer;
}

void check_ends(const loci_copy& copy) {
  const bool here = copy.source_end == LOCI_END_DEVICE || copy.target_end == LOCI_END_DEVICE;
  if (here && copy.source_end <= LOCI_END_PEER && copy.target_end <= LOCI_END_PEER) return;
  refuse_request(
      fmt::format("[sim] a copy from end {} to end {} does not touch the device; give "
                  "LOCI_END_DEVICE for one of them",
                  copy.source_end, copy.target_end));
}

template <class Finish>
class FreeWork final : public Work {
 public:
  explicit FreeWork(Finish finish) : finish_(std::move(finish)) {}
  void run() override { finish_(); }
  [[nodiscard]] std::string name() const override { return "mem_free"; }
  [[nodiscard]] bool is_control() const override { return true; }

 private:
  Finish finish_;
};

}  // namespace

void SimDevice::describe(Machine& machine, std::uint32_t index, loci_device_info& info) {
  require_index(machine, index);
  info.flags = LOCI_DEVICE_ACCELERATOR;
  info.name = sdk::to_abi("Loci software accelerator");
  info.arch = sdk::to_abi("software");
  info.uuid = {};
  info.driver = sdk::to_abi(LOCI_SIM_PLUGIN_VERSION);
  info.total_memory = machine.settings.memory;
  info.alignment = kAlignment;
  info.min_chunk = kAlignment;
  info.compute_units = 1;  // kernels of a stream run on one thread
  info.least_priority = kLeastPriority;
  info.greatest_priority = kGreatestPriority;
  info.peak_flops = machine.settings.gflops * 1e9;
  // A copy within the device reads and writes each byte.
  info.peak_bytes = 2 * machine.settings.local_gbps * 1e9;
}

SimDevice::SimDevice(Machine& machine, const sdk::Host& host, std::uint32_t index)
    : machine_(machine),
      host_(host),
      index_((require_index(machine, index), index)),
      place_(fmt::format("sim:{}", index)),
      failures_(machine.settings, place_),
      memory_(machine.settings, place_) {}

SimDevice::~SimDevice() {
  for (const std::string& finding : memory_.findings()) {
    host_.log(LOCI_LOG_ERROR, finding, __FILE__, __LINE__);
  }
}

void* SimDevice::mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream*) {
  failures_.enter_call(failures_.faults().alloc, LOCI_CODE_OUT_OF_MEMORY, "mem_alloc");
  if (kind == LOCI_MEMORY_PINNED) return machine_.pinned.allocate(bytes);
  if (kind != LOCI_MEMORY_DEVICE)
    refuse_request(fmt::format("[sim] there is no memory kind {}", kind));
  void* pointer = allocate_waiting(bytes);
  ++counters_.allocations;
  return pointer;
}

// Memory whose free is still in a stream is free memory: it only has to be waited for. Whether
// there is such is asked first, since it may be free by the time that there was no room.
void* SimDevice::allocate_waiting(std::uint64_t bytes) {
  const bool has_pending_frees = memory_.has_pending_frees();
  try {
    return memory_.allocate(bytes);
  } catch (const sdk::Error&) {
    if (!has_pending_frees) throw;
  }
  drain();  // not synchronize(), which no stream may record for
  failures_.require_present();
  return memory_.allocate(bytes);
}

void SimDevice::mem_free(std::uint32_t kind, void* pointer, Stream* stream) {
  if (kind == LOCI_MEMORY_PINNED) {
    const std::uint64_t bytes = machine_.pinned.begin_free(pointer);
    free_behind(pointer, bytes, stream, [this, pointer] { machine_.pinned.finish_free(pointer); });
    return;
  }
  if (kind != LOCI_MEMORY_DEVICE)
    refuse_request(fmt::format("[sim] there is no memory kind {}", kind));
  const std::uint64_t bytes = memory_.begin_free(pointer);
  free_behind(pointer, bytes, stream, [this, pointer] { memory_.finish_free(pointer); });
}

// The memory goes back even if the race checker objects, but then behind all work of the device:
// the error tells of the race, and neither a leak nor a stray write would make it better.
template <class Finish>
void SimDevice::free_behind(const void* pointer, std::uint64_t bytes, Stream* stream,
                            Finish finish) {
  RaceChecker* races = machine_.races.get();
  const Access access = access_of(pointer, bytes, /*writes=*/true);
  const auto forget_and_finish = [races, access, finish] {
    if (races != nullptr) races->forget(access.first, access.last);
    finish();
  };
  try {
    if (stream != nullptr) {
      stream->enqueue(std::make_unique<FreeWork<decltype(forget_and_finish)>>(forget_and_finish),
                      {access});
      return;
    }
    if (races != nullptr) races->enter_host("mem_free", {access});
  } catch (const sdk::Error&) {
    drain();
    forget_and_finish();
    throw;
  }
  forget_and_finish();
}

void SimDevice::mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) const {
  total_bytes = memory_.limit();
  free_bytes = memory_.limit() - memory_.used();
}

void SimDevice::host_register(void* pointer, std::uint64_t bytes) {
  machine_.pinned.add(pointer, bytes);
}

void SimDevice::host_unregister(void* pointer) { machine_.pinned.remove(pointer); }

SimDevice::End SimDevice::end_of(std::uint32_t kind, const void* pointer, std::uint64_t bytes,
                                 bool writes, loci_device* peer) const {
  const Access access = access_of(pointer, bytes, writes);
  const char* what = writes ? "the target of a copy" : "the source of a copy";
  if (kind == LOCI_END_DEVICE) return {memory_.alias(pointer, bytes, what), access, false};
  if (kind == LOCI_END_PEER) {
    if (peer == nullptr)
      refuse_request("[sim] a copy between devices names no peer; give its handle");
    const auto& other = sdk::device_of<SimDevice>(peer);
    return {other.memory_.alias(pointer, bytes, what), access, false};
  }
  auto* data = static_cast<std::byte*>(const_cast<void*>(pointer));
  // Memory that is not pinned is only touched while the host waits, so nothing can race with it.
  if (!machine_.pinned.covers(pointer, bytes)) return {data, {}, true};
  return {data, access, false};
}

bool SimDevice::copy(const loci_copy& copy, Stream* stream) {
  failures_.enter_call(failures_.faults().copy, LOCI_CODE_FAILED, "copy");
  Stream& queue = required(stream, "copy");
  check_ends(copy);
  if (copy.rows == 0 || copy.row_bytes == 0) return false;
  const End source = end_of(copy.source_end, copy.source, source_span(copy), false, copy.peer);
  const End target = end_of(copy.target_end, copy.target, target_span(copy), true, copy.peer);
  if (source.blocks || target.blocks) {
    queue.refuse_recorded("memory of the host that is not pinned is copied");
  }
  loci_copy aliased = copy;
  aliased.source = source.data;
  aliased.target = target.data;
  queue.enqueue(std::make_unique<CopyWork>(aliased, route_of(copy), machine_.time, counters_),
                {source.access, target.access});
  if (!source.blocks && !target.blocks) return false;
  queue.drain();
  return true;
}

void SimDevice::fill(void* target, std::uint64_t bytes, const void* pattern,
                     std::uint32_t pattern_bytes, Stream* stream, std::uint64_t correlation) {
  failures_.enter_call(failures_.faults().copy, LOCI_CODE_FAILED, "fill");
  Stream& queue = required(stream, "fill");
  if (pattern_bytes != 1 && pattern_bytes != 2 && pattern_bytes != 4 && pattern_bytes != 8) {
    refuse_request(fmt::format("[sim] a pattern of {} bytes; give 1, 2, 4 or 8", pattern_bytes));
  }
  if (bytes == 0) return;
  std::byte* data = memory_.alias(target, bytes, "the target of a fill");
  queue.enqueue(std::make_unique<FillWork>(data, bytes, pattern, pattern_bytes, machine_.time,
                                           counters_, correlation),
                {access_of(target, bytes, /*writes=*/true)});
}

void SimDevice::synchronize() {
  {
    const std::lock_guard lock(streams_mutex_);
    for (Stream* stream : streams_) stream->refuse_of_recorder("the device is waited for");
  }
  drain();
  failures_.require_present();
}

void SimDevice::drain() {
  const std::lock_guard lock(streams_mutex_);
  for (Stream* stream : streams_) stream->drain();
}

void* SimDevice::native_handle(Stream* stream, std::string_view name) {
  if (name == "sim.counters") return &counters_;
  if (name == "sim.faults") return &failures_.faults();
  if (name == "sim.stream") return stream;
  if (name == "sim.graphs" && machine_.settings.graphs) {
    return const_cast<GraphDriver*>(&graph_driver());
  }
  return nullptr;
}

std::chrono::nanoseconds SimDevice::longest_delay() const {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(machine_.settings.delay_us * 1e3));
}

std::uint64_t SimDevice::next_seed() {
  constexpr std::uint64_t kStreamsPerDevice = std::uint64_t{1} << 32;
  const std::lock_guard lock(streams_mutex_);
  return machine_.settings.seed + index_ * kStreamsPerDevice + stream_count_++;
}

Lane SimDevice::next_lane() {
  const std::lock_guard lock(streams_mutex_);
  return {index_, lane_count_++};
}

void SimDevice::add(Stream& stream) {
  const std::lock_guard lock(streams_mutex_);
  streams_.insert(&stream);
}

void SimDevice::remove(Stream& stream) {
  const std::lock_guard lock(streams_mutex_);
  streams_.erase(&stream);
}

Stream& SimDevice::required(Stream* stream, const char* function) const {
  if (stream == nullptr) {
    refuse_request(
        fmt::format("[sim] {}: {} got no stream; give one of the device's", place_, function));
  }
  return *stream;
}

}  // namespace loci::sim
