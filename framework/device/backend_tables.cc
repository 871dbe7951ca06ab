#include "framework/device/backend_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "framework/core/abi/error.h"
#include "framework/plugin/foreign_call.h"
#include "framework/plugin/interface_table.h"
#include "framework/plugin/stated_text.h"

namespace loci::device {
namespace {

using plugin::require_member;

constexpr plugin::Interface kDevice{LOCI_DEVICE_INTERFACE, LOCI_DEVICE_MINOR};
constexpr plugin::Interface kKernels{LOCI_KERNELS_INTERFACE, LOCI_KERNELS_MINOR};
constexpr plugin::Interface kProfileSource{LOCI_PROFILE_SOURCE_INTERFACE,
                                           LOCI_PROFILE_SOURCE_MINOR};

std::string checked_device_type(loci_str stated, const plugin::Interface& interface,
                                const plugin::Manifest& manifest) {
  const std::string type(
      plugin::stated_text(stated, fmt::format("{}'s device type", interface.name)));
  if (!manifest.has_device_type(type)) {
    plugin::refuse_to_author(
        fmt::format("its {} is for the device type '{}', and its manifest has '{}'", interface.name,
                    type, fmt::join(manifest.device_types(), "', '")));
  }
  return type;
}

void probe(const DeviceBackend& backend, std::int32_t& score, std::string& reason) {
  loci_str text{nullptr, 0};
  plugin::call_plugin_checked(
      "probe", [&] { return backend.api.probe(backend.plugin->handle(), &score, &text); });
  if (score > 0) return;
  reason = text.data == nullptr ? "its probe gave no reason"
                                : std::string(plugin::stated_text(text, "probe's reason"));
}

std::optional<loci_profile_source_api> take_profile_source(plugin::Instance& instance,
                                                           const plugin::Manifest& manifest) {
  const auto api = plugin::find_table<loci_profile_source_api>(instance, kProfileSource);
  if (!api) return std::nullopt;
  require_member(api->start != nullptr, kProfileSource, "start");
  require_member(api->flush != nullptr, kProfileSource, "flush");
  require_member(api->stop != nullptr, kProfileSource, "stop");
  checked_device_type(api->device_type, kProfileSource, manifest);
  return api;
}

std::shared_ptr<DeviceBackend> take_device(plugin::Instance& instance,
                                           const plugin::Manifest& manifest,
                                           std::string& unavailable) {
  const auto table = plugin::find_table<loci_device_api>(instance, kDevice);
  if (!table) return nullptr;
  auto backend = std::make_shared<DeviceBackend>();
  backend->plugin = &instance;
  backend->api = *table;
  const loci_device_api& api = backend->api;
  require_member(api.probe != nullptr, kDevice, "probe");
  require_member(api.count != nullptr, kDevice, "count");
  require_member(api.describe != nullptr, kDevice, "describe");
  require_member(api.open != nullptr, kDevice, "open");
  require_member(api.close != nullptr, kDevice, "close");
  backend->device_type = checked_device_type(api.device_type, kDevice, manifest);
  backend->profile_source = take_profile_source(instance, manifest);
  probe(*backend, backend->score, unavailable);
  return backend;
}

// The plugin's structs may be longer than this host's, so that they are further apart.
std::vector<const loci_kernel_def*> list_defs(const KernelLibrary& library) {
  std::uint64_t count = 0;
  const loci_kernel_def* first = plugin::call_plugin(
      "defs", [&] { return library.api.defs(library.plugin->handle(), &count); });
  std::vector<const loci_kernel_def*> defs;
  if (count == 0) return defs;
  if (count > LOCI_MAX_KERNELS) {
    plugin::refuse_to_author(
        fmt::format("its defs gave {} kernels; there are at most {}", count, LOCI_MAX_KERNELS));
  }
  if (first == nullptr)
    plugin::refuse_to_author(fmt::format("its defs gave NULL for {} kernels", count));
  const std::uint32_t stride = first->struct_size;
  const auto* bytes = reinterpret_cast<const char*>(first);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto* def = reinterpret_cast<const loci_kernel_def*>(bytes + i * stride);
    if (def->struct_size < sizeof(loci_kernel_def) || def->struct_size != stride ||
        stride % alignof(loci_kernel_def) != 0) {
      plugin::refuse_to_author(
          fmt::format("its kernel {} states a size of {} bytes; this Loci's has {}", i,
                      def->struct_size, sizeof(loci_kernel_def)));
    }
    if (def->op.data == nullptr || def->op.size == 0 || def->name.data == nullptr) {
      plugin::refuse_to_author(fmt::format("its kernel {} has no op or no name", i));
    }
    if (def->op_version == 0) {
      plugin::refuse_to_author(
          fmt::format("its kernel {} names no version of its op; set op_version", i));
    }
    plugin::stated_text(def->op, fmt::format("kernel {}'s op", i));
    plugin::stated_text(def->name, fmt::format("kernel {}'s name", i));
    if (def->not_capturable.data != nullptr)
      plugin::stated_text(def->not_capturable, fmt::format("kernel {}'s not_capturable", i));
    defs.push_back(def);
  }
  return defs;
}

void sort_by_op(KernelLibrary* library) {
  for (const loci_kernel_def* def : library->defs) {
    library->defs_by_op[core::from_abi(def->op)].push_back(def);
  }
}

std::shared_ptr<KernelLibrary> take_kernels(plugin::Instance& instance,
                                            const plugin::Manifest& manifest) {
  const auto table = plugin::find_table<loci_kernels_api>(instance, kKernels);
  if (!table) return nullptr;
  auto library = std::make_shared<KernelLibrary>();
  library->plugin = &instance;
  library->api = *table;
  const loci_kernels_api& api = library->api;
  require_member(api.defs != nullptr, kKernels, "defs");
  require_member(api.supports != nullptr, kKernels, "supports");
  require_member(api.create != nullptr, kKernels, "create");
  require_member(api.destroy != nullptr, kKernels, "destroy");
  require_member(api.prepare != nullptr, kKernels, "prepare");
  require_member(api.destroy_prepared != nullptr, kKernels, "destroy_prepared");
  library->device_type = checked_device_type(api.device_type, kKernels, manifest);
  library->defs = list_defs(*library);
  sort_by_op(library.get());
  return library;
}

}  // namespace

const std::vector<const loci_kernel_def*>& KernelLibrary::defs_of(std::string_view op) const {
  static const auto& kNone = *new std::vector<const loci_kernel_def*>;
  const auto found = defs_by_op.find(op);
  return found == defs_by_op.end() ? kNone : found->second;
}

constinit const plugin::Kind<BackendTables> kBackendKind{
    {.name = "backend",
     .take = &plugin::take_as<&take_backend_tables>,
     .declares = &plugin::kDeviceTypes,
     .bearer = "a plugin of the kind 'backend'"}};

void BackendTables::tell(plugins::Candidate& report) const {
  if (device != nullptr) report.score = device->score;
  report.unavailable = unavailable;
}

BackendTables take_backend_tables(plugin::Instance& instance, const plugin::Manifest& manifest) {
  BackendTables tables;
  tables.device = take_device(instance, manifest, tables.unavailable);
  tables.kernels = take_kernels(instance, manifest);
  if (tables.device == nullptr && tables.kernels == nullptr) {
    plugin::refuse_to_author("it calls itself a backend and has neither " LOCI_DEVICE_INTERFACE
                             " nor " LOCI_KERNELS_INTERFACE);
  }
  return tables;
}

std::vector<const DeviceBackend*> backends(plugin::PluginManager& plugins,
                                           std::string_view device_type) {
  std::vector<const DeviceBackend*> result;
  for (const BackendTables* tables : plugins.brought(kBackendKind, device_type)) {
    const DeviceBackend* device = tables->device.get();
    if (device == nullptr || device->device_type != device_type) continue;
    if (device->score > 0) result.push_back(device);
  }
  std::stable_sort(
      result.begin(), result.end(),
      [](const DeviceBackend* a, const DeviceBackend* b) { return a->score > b->score; });
  return result;
}

std::vector<const KernelLibrary*> kernel_libraries(plugin::PluginManager& plugins,
                                                   std::string_view device_type) {
  std::vector<const KernelLibrary*> result;
  for (const BackendTables* tables : plugins.brought(kBackendKind, device_type)) {
    const KernelLibrary* kernels = tables->kernels.get();
    if (kernels != nullptr && kernels->device_type == device_type) result.push_back(kernels);
  }
  return result;
}

}  // namespace loci::device
