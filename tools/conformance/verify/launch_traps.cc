#include "tools/conformance/verify/launch_traps.h"

#include <loci/abi/device.h>
#include <loci/abi/kernels.h>
#include <loci/abi/plugin.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "framework/plugin/interposition.h"
#include "tools/conformance/verify/blocking_probe.h"
#include "tools/conformance/verify/busy_work.h"
#include "tools/conformance/verify/fault_signal.h"
#include "tools/conformance/verify/kernel_life.h"
#include "tools/conformance/verify/last_words.h"
#include "tools/conformance/verify/launch_recorder.h"
#include "tools/conformance/verify/layout_traps.h"
#include "tools/conformance/verify/lent_op.h"
#include "tools/conformance/verify/shared_preparations.h"
#include "tools/conformance/verify/subject.h"

namespace loci::verify {
namespace {

// A launch that is late because its kernel was compiled in it is not late again.
constexpr int kAttempts = 3;
// Others may use the device too.
constexpr int kTakings = 2;
// Of what one implementation prepared, as much as is rehearsed: of launches on that many bytes,
// which take long enough to meet, and of smaller ones.
constexpr std::uint64_t kLargeBytes = std::uint64_t{48} << 10;
constexpr int kLargeRehearsals = 6;
constexpr int kRehearsals = 24;

// Of launches of one size.
struct Rehearsals {
  std::atomic<int> left;
  OverlapCounts overlaps = {};
};

// What is known of one implementation.
struct Watched {
  std::string name;  // "relu (portable)"
  bool lived = false;
  bool returns_early = false;
  int late = 0;
  int takings = 0;
  Rehearsals small{kRehearsals};
  Rehearsals large{kLargeRehearsals};
};

// Everything of the plugin under watch. Made once, and for ever.
struct Watch {
  std::string path;
  loci_plugin_desc desc{};
  loci_plugin_desc own_desc{};
  loci_host_api host{};
  loci_host_api own_host{};
  loci_plugin* plugin = nullptr;
  loci_device_api device{};
  loci_kernels_api kernels{};
  loci_kernels_api own_kernels{};

  std::mutex mutex;
  std::vector<std::string> findings;
  std::set<std::string> told;
  std::map<const loci_kernel_def*, Watched> watched;
  std::map<loci_device*, std::unique_ptr<BusyWork>> busy;
  std::map<std::uint32_t, std::string> layouts;  // what their plugin says of them
  std::atomic<std::int64_t> allocations{0};
  SharedPreparations shared;

  void tell(std::string finding) {
    if (finding.empty()) return;
    const std::lock_guard lock(mutex);
    if (told.insert(finding).second) findings.push_back(std::move(finding));
  }
};

Watch& watch() {
  static Watch& the_watch = *new Watch;
  return the_watch;
}

// The launch that this thread is in; NULL outside.
thread_local const Watched* launching = nullptr;

void tell_of_launch(const char* what) {
  if (launching == nullptr) return;
  watch().tell(fmt::format("launch of {} {}", launching->name, what));
}

// Host functions that a launch may not call, or that have to carry on its name.

void* memory_alloc(loci_host* host, std::uint64_t bytes, std::uint64_t alignment) {
  tell_of_launch("takes memory of the host table; ask for a workspace in prepare");
  void* pointer = watch().host.memory_alloc(host, bytes, alignment);
  if (pointer != nullptr) ++watch().allocations;
  return pointer;
}

void memory_free(loci_host* host, void* pointer) {
  tell_of_launch("gives memory back to the host table");
  if (pointer != nullptr) --watch().allocations;
  watch().host.memory_free(host, pointer);
}

loci_str config_get(loci_host* host, loci_str key) {
  tell_of_launch("reads the configuration; do so in create");
  return watch().host.config_get(host, key);
}

std::uint32_t layout_intern(loci_host* host, loci_str text, std::uint64_t bytes) {
  tell_of_launch("interns a layout; do so in prepare");
  const std::uint32_t id = watch().host.layout_intern(host, text, bytes);
  const std::lock_guard lock(watch().mutex);
  watch().layouts[id] = view(text);
  return id;
}

struct Loop {
  loci_range_fn body;
  void* context;
  const Watched* launch;
};

void parallel_for(loci_host* host, std::int64_t begin, std::int64_t end, std::int64_t grain,
                  loci_range_fn body, void* context) {
  Loop loop{body, context, launching};
  const auto range = [](void* of, std::int64_t first, std::int64_t last, std::uint32_t worker) {
    const Loop& carried = *static_cast<Loop*>(of);
    const Watched* before = std::exchange(launching, carried.launch);
    carried.body(carried.context, first, last, worker);
    launching = before;
  };
  watch().host.parallel_for(host, begin, end, grain, range, &loop);
}

// What stands for the plugin's objects.

struct WatchedKernel {
  loci_kernel* real;
  const loci_kernel_def* def;
  Watched* watched;
  loci_device* device;
};

struct WatchedLaunch {
  loci_prepared* real;
  loci_error* (*launch)(const loci_prepared*, const loci_launch*);
  Watched* watched;
  loci_device* device;
  std::string call;  // "launch of relu (portable)"
  const loci_kernel_def* def;
  PreparedKernel kernel;
  ArgumentCounts counts;
  const SharedPreparation* other;  // of a shape-agnostic kernel, for other shapes
  mutable std::atomic<bool> is_rehearsed{false};
};

Watched& watched_of(const loci_kernel_def* def) {
  Watch& self = watch();
  const std::lock_guard lock(self.mutex);
  Watched& watched = self.watched[def];
  if (watched.name.empty()) watched.name = fmt::format("{} ({})", view(def->op), view(def->name));
  return watched;
}

// NULL where nothing keeps the device busy.
BusyWork* busy_work(loci_device* device, loci_stream* stream) {
  Watch& self = watch();
  if (!missing_functions(self.device, nullptr).empty() || self.device.event_create == nullptr ||
      self.device.mem_alloc == nullptr || self.device.copy == nullptr) {
    return nullptr;
  }
  const std::lock_guard lock(self.mutex);
  std::unique_ptr<BusyWork>& busy = self.busy[device];
  constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;
  if (busy == nullptr) {
    busy = std::make_unique<BusyWork>(self.device, self.host, device, kChunk, stream);
  }
  return busy->usable() ? busy.get() : nullptr;
}

// NULL where it is known, or tried often enough, that the kernel's launches return early or not.
BusyWork* work_before(const WatchedLaunch& prepared, loci_stream* stream) {
  const Watched& watched = *prepared.watched;
  if (stream == nullptr || watched.returns_early || watched.late >= kAttempts) return nullptr;
  return busy_work(prepared.device, stream);
}

void judge_blocking(Watched& watched, std::optional<bool> returned_early) {
  if (!returned_early) return;
  if (*returned_early) {
    watched.returns_early = true;
  } else if (++watched.late == kAttempts) {
    watch().tell(fmt::format(
        "launch of {} blocks: it returned when the work before it in the stream had ended, in {} "
        "launches of {}",
        watched.name, kAttempts, kAttempts));
  }
}

// Free bytes of the device; 0 where it does not count.
std::uint64_t free_memory(loci_device* device) {
  Watch& self = watch();
  if (self.device.mem_info == nullptr || device == nullptr) return 0;
  std::uint64_t free = 0;
  std::uint64_t total = 0;
  loci_error* error = self.device.mem_info(device, &free, &total);
  if (error == nullptr) return free;
  self.host.error_release(error);
  return 0;
}

// Whether kernels reach their arguments as the host does.
bool works_in_host_memory() {
  Watch& self = watch();
  if (self.device.describe == nullptr) return view(self.kernels.device_type) == "cpu";
  loci_device_info info{};
  info.struct_size = sizeof info;
  loci_error* error = self.device.describe(self.plugin, 0, &info);
  if (error != nullptr) self.host.error_release(error);
  return error == nullptr && (info.flags & LOCI_DEVICE_HOST_MEMORY) != 0;
}

// Where copies of a launch are made. Nothing where it cannot be.
std::optional<LaunchPlace> place_of_copies(loci_device* on, const loci_stream* stream) {
  static const bool kHostMemory = works_in_host_memory();
  const loci_device_api& device = watch().device;
  const bool is_reached =
      device.mem_alloc != nullptr && device.copy != nullptr && stream != nullptr;
  if (!kHostMemory && !is_reached) return {};
  return LaunchPlace{device, watch().host, on, kHostMemory};
}

// Once for what was prepared, before its first launch.
void rehearse_launch(const WatchedLaunch& self, const loci_launch& arguments) {
  if (self.is_rehearsed.exchange(true)) return;
  if (!LaunchCopy::suits(arguments, self.counts)) return;
  const bool is_large = LaunchCopy::bytes_of(arguments, self.counts) >= kLargeBytes;
  Rehearsals& rehearsals = is_large ? self.watched->large : self.watched->small;
  if (rehearsals.left-- <= 0) return;
  const std::optional<LaunchPlace> place = place_of_copies(self.device, arguments.stream);
  if (!place) return;
  Rehearsed rehearsed{self.watched->name, *self.def, self.kernel, self.counts};
  if (self.other != nullptr) {
    rehearsed.other = &self.other->kernel;
    rehearsed.other_shape = self.other->shape;
  }
  rehearsed.overlaps = &rehearsals.overlaps;
  if (BusyWork* busy = busy_work(self.device, arguments.stream); busy != nullptr) {
    rehearsed.keep_busy = [busy](loci_stream* stream) { busy->enqueue(stream); };
  }
  note_call(self.call);
  watch().tell(rehearse_as_set(rehearsed, *place, arguments));
}

loci_error* launch(const loci_prepared* prepared, const loci_launch* arguments) {
  const auto& self = *reinterpret_cast<const WatchedLaunch*>(prepared);
  rehearse_launch(self, *arguments);
  if (const auto place = place_of_copies(self.device, arguments->stream); place) {
    soil_outputs(*place, *arguments, self.counts);
  }
  BlockingProbe probe(watch().device, watch().host, self.device,
                      work_before(self, arguments->stream), arguments->stream);
  const std::uint64_t before = free_memory(self.device);
  note_call(self.call);
  launching = self.watched;
  loci_error* error = self.launch(self.real, arguments);
  launching = nullptr;
  note_call("");
  const std::uint64_t after = free_memory(self.device);
  if (after < before && ++self.watched->takings == kTakings) {
    watch().tell(fmt::format(
        "launch of {} takes memory of the device, {} bytes; ask for a workspace in prepare",
        self.watched->name, before - after));
  }
  judge_blocking(*self.watched, probe.returned_early());
  return error;
}

// The functions of the kernel table.

loci_error* create_kernel(loci_plugin* plugin, const loci_kernel_def* def, loci_device* device,
                          const loci_op_desc* op, loci_kernel** out_kernel) {
  auto made = std::make_unique<WatchedKernel>();
  made->def = def;
  made->watched = &watched_of(def);
  made->device = device;
  const LentOp lent(*op);
  note_call("create of " + made->watched->name);
  loci_error* error = watch().kernels.create(plugin, def, device, lent.get(), &made->real);
  note_call("");
  if (error == nullptr) *out_kernel = reinterpret_cast<loci_kernel*>(made.release());
  return error;
}

void destroy_kernel(loci_kernel* kernel) {
  auto* self = reinterpret_cast<WatchedKernel*>(kernel);
  watch().kernels.destroy(self->real);
  delete self;
}

void watch_life(const WatchedKernel& kernel, const loci_op_desc& op) {
  if (std::exchange(kernel.watched->lived, true)) return;
  Watch& self = watch();
  const KernelMaker maker{self.kernels, self.host, self.plugin, kernel.def, kernel.device};
  const std::string left = left_by_kernels(maker, op, self.allocations);
  if (!left.empty()) self.tell(fmt::format("{} leaves behind {}", kernel.watched->name, left));
}

loci_error* prepare(loci_kernel* kernel, const loci_op_desc* op, loci_prepared_info* out_info) {
  auto& self = *reinterpret_cast<WatchedKernel*>(kernel);
  watch_life(self, *op);
  const LentOp lent(*op);
  note_call("prepare of " + self.watched->name);
  loci_error* error = watch().kernels.prepare(self.real, lent.get(), out_info);
  note_call("");
  if (error != nullptr) return error;
  auto made = std::make_unique<WatchedLaunch>();
  made->real = out_info->prepared;
  made->launch = out_info->launch;
  made->watched = self.watched;
  made->device = self.device;
  made->call = "launch of " + self.watched->name;
  made->def = self.def;
  made->kernel = {out_info->prepared, out_info->launch, out_info->workspace_bytes,
                  out_info->state_bytes};
  made->counts = {op->input_slots[op->input_slot_count], op->output_slots[op->output_slot_count]};
  made->other =
      watch().shared.find_or_prepare(watch().kernels, watch().host, *self.def, self.real, *op);
  out_info->prepared = reinterpret_cast<loci_prepared*>(made.release());
  out_info->launch = launch;
  return nullptr;
}

void destroy_prepared(loci_prepared* prepared) {
  auto* self = reinterpret_cast<WatchedLaunch*>(prepared);
  watch().kernels.destroy_prepared(self->real);
  delete self;
}

std::string layout_text(std::uint32_t layout) {
  const std::lock_guard lock(watch().mutex);
  return watch().layouts[layout];
}

loci_error* relayout(loci_plugin* plugin, loci_device* device, const loci_view* source,
                     const loci_view* target, loci_stream* stream, std::uint64_t correlation) {
  const auto function = watch().kernels.relayout;
  note_call("relayout");
  if (const auto place = place_of_copies(device, stream); place) {
    const Relayout subject{function, plugin, device, source, target, stream};
    watch().tell(rehearse_relayout(subject, *place, layout_text(target->layout)));
    soil(*place, *target, stream);
  }
  loci_error* error = function(plugin, device, source, target, stream, correlation);
  note_call("");
  return error;
}

// The functions of the descriptor.

template <class Table>
Table in_own_size(const void* table) {
  Table own{};
  std::uint32_t size = 0;
  std::memcpy(&size, table, sizeof size);
  std::memcpy(&own, table, std::min<std::size_t>(size, sizeof own));
  return own;
}

loci_error* create(const loci_host_api* host, const loci_kv* options, std::uint64_t count,
                   loci_plugin** out_plugin) {
  Watch& self = watch();
  self.host = *host;
  self.own_host = *host;
  self.own_host.memory_alloc = memory_alloc;
  self.own_host.memory_free = memory_free;
  self.own_host.parallel_for = parallel_for;
  self.own_host.config_get = config_get;
  self.own_host.layout_intern = layout_intern;
  loci_error* error = self.desc.create(&self.own_host, options, count, out_plugin);
  self.plugin = *out_plugin;
  return error;
}

loci_error* get_interface(loci_plugin* plugin, loci_str name, std::uint32_t max_minor,
                          const void** out_table) {
  Watch& self = watch();
  loci_error* error = self.desc.get_interface(plugin, name, max_minor, out_table);
  if (error != nullptr || *out_table == nullptr) return error;
  if (view(name) == LOCI_DEVICE_INTERFACE) {
    self.device = in_own_size<loci_device_api>(*out_table);
  } else if (view(name) == LOCI_KERNELS_INTERFACE) {
    self.kernels = in_own_size<loci_kernels_api>(*out_table);
    if (!missing_functions(self.kernels).empty()) return nullptr;  // the core refuses it
    self.own_kernels = self.kernels;
    self.own_kernels.create = create_kernel;
    self.own_kernels.destroy = destroy_kernel;
    self.own_kernels.prepare = prepare;
    self.own_kernels.destroy_prepared = destroy_prepared;
    if (self.kernels.relayout != nullptr) self.own_kernels.relayout = relayout;
    *out_table = &self.own_kernels;
  }
  return nullptr;
}

const loci_plugin_desc* interpose(const std::string& path, const loci_plugin_desc* desc) {
  Watch& self = watch();
  std::error_code unknown;
  if (!std::filesystem::equivalent(path, self.path, unknown)) return desc;
  self.desc = in_own_size<loci_plugin_desc>(desc);
  self.own_desc = self.desc;
  if (self.desc.create != nullptr) self.own_desc.create = create;
  if (self.desc.get_interface != nullptr) self.own_desc.get_interface = get_interface;
  return &self.own_desc;
}

}  // namespace

void watch_launches(const std::string& path) {
  watch().path = path;
  explain_faults();
  plugin::set_interposer(interpose);
}

std::vector<std::string> take_findings() {
  Watch& self = watch();
  const std::lock_guard lock(self.mutex);
  return std::exchange(self.findings, {});
}

}  // namespace loci::verify
