#include "tools/conformance/verify/launch/launch_traps.h"

#include <fmt/format.h>
#include <loci/abi/device.h>
#include <loci/abi/kernels.h>
#include <loci/abi/plugin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

#include "framework/plugin/interposition.h"
#include "tools/conformance/verify/launch/fault_signal.h"
#include "tools/conformance/verify/launch/host_traps.h"
#include "tools/conformance/verify/launch/kernel_life.h"
#include "tools/conformance/verify/launch/layout_traps.h"
#include "tools/conformance/verify/launch/lent_op.h"
#include "tools/conformance/verify/launch/watch.h"
#include "tools/conformance/verify/launch/watched_launch.h"
#include "tools/conformance/verify/process/last_words.h"
#include "tools/conformance/verify/subject.h"

namespace loci::verify {
namespace {

// A watched kernel stands for a loci_kernel of the plugin's.
struct WatchedKernel {
  loci_kernel* real;
  const loci_kernel_def* def;
  Watched* watched;
  loci_device* device;
};

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
  out_info->launch = launch_watched;
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
  set_host_traps(self.own_host);
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

std::vector<std::string> aliases_tried(const std::string& op) {
  Watch& self = watch();
  const std::lock_guard lock(self.mutex);
  std::vector<std::string> all;
  for (const auto& [def, watched] : self.watched) {
    if (view(def->op) != op) continue;
    for (const std::string& alias : watched.aliases_tried) {
      all.push_back(watched.name + ": " + alias);
    }
  }
  return all;
}

}  // namespace loci::verify
