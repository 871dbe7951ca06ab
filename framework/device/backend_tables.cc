// The two tables of a backend plugin, taken over and checked.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "framework/core/abi/error.h"
#include "framework/device/backend.h"
#include "framework/plugin/foreign_call.h"
#include "framework/plugin/interfaces.h"
#include "framework/plugin/negotiation.h"
#include "framework/plugin/stated_text.h"

namespace loci::device {
namespace {

std::string checked_device_type(loci_str stated, std::string_view interface,
                                const plugin::Manifest& manifest) {
  const std::string type(plugin::stated_text(stated, fmt::format("{}'s device type", interface)));
  if (!manifest.has_device_type(type)) {
    plugin::refuse_to_author(
        fmt::format("its {} is for the device type '{}', and its manifest has '{}'", interface,
                    type, fmt::join(manifest.device_types, "', '")));
  }
  return type;
}

void require(bool present, std::string_view interface, std::string_view member) {
  if (!present) plugin::refuse_to_author(fmt::format("its {} lacks {}", interface, member));
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
  static constexpr std::string_view kName = LOCI_PROFILE_SOURCE_INTERFACE;
  const void* table = instance.interface(kName, LOCI_PROFILE_SOURCE_MINOR);
  if (table == nullptr) return std::nullopt;
  const auto api = plugin::copy_table<loci_profile_source_api>(table, kName);
  require(api.start != nullptr, kName, "start");
  require(api.flush != nullptr, kName, "flush");
  require(api.stop != nullptr, kName, "stop");
  checked_device_type(api.device_type, kName, manifest);
  return api;
}

std::shared_ptr<DeviceBackend> take_device(plugin::Instance& instance,
                                           const plugin::Manifest& manifest,
                                           std::string& unavailable) {
  static constexpr std::string_view kName = LOCI_DEVICE_INTERFACE;
  const void* table = instance.interface(kName, LOCI_DEVICE_MINOR);
  if (table == nullptr) return nullptr;
  auto backend = std::make_shared<DeviceBackend>();
  backend->plugin = &instance;
  backend->api = plugin::copy_table<loci_device_api>(table, kName);
  const loci_device_api& api = backend->api;
  require(api.probe != nullptr, kName, "probe");
  require(api.count != nullptr, kName, "count");
  require(api.describe != nullptr, kName, "describe");
  require(api.open != nullptr, kName, "open");
  require(api.close != nullptr, kName, "close");
  backend->device_type = checked_device_type(api.device_type, kName, manifest);
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
  static constexpr std::string_view kName = LOCI_KERNELS_INTERFACE;
  const void* table = instance.interface(kName, LOCI_KERNELS_MINOR);
  if (table == nullptr) return nullptr;
  auto library = std::make_shared<KernelLibrary>();
  library->plugin = &instance;
  library->api = plugin::copy_table<loci_kernels_api>(table, kName);
  const loci_kernels_api& api = library->api;
  require(api.defs != nullptr, kName, "defs");
  require(api.supports != nullptr, kName, "supports");
  require(api.create != nullptr, kName, "create");
  require(api.destroy != nullptr, kName, "destroy");
  require(api.prepare != nullptr, kName, "prepare");
  require(api.destroy_prepared != nullptr, kName, "destroy_prepared");
  library->device_type = checked_device_type(api.device_type, kName, manifest);
  library->defs = list_defs(*library);
  sort_by_op(library.get());
  return library;
}

}  // namespace

const std::vector<const loci_kernel_def*>& KernelLibrary::defs_of(std::string_view op) const {
  static const std::vector<const loci_kernel_def*> kNone;
  const auto found = defs_by_op.find(op);
  return found == defs_by_op.end() ? kNone : found->second;
}

}  // namespace loci::device

namespace loci::plugin {

BackendTables take_backend_tables(Instance& instance, const Manifest& manifest) {
  BackendTables tables;
  if (const auto device = device::take_device(instance, manifest, tables.unavailable)) {
    tables.device = device;
    tables.device_type = device->device_type;
    tables.score = device->score;
  }
  if (const auto kernels = device::take_kernels(instance, manifest)) {
    tables.kernels = kernels;
    tables.kernels_type = kernels->device_type;
  }
  if (tables.device == nullptr && tables.kernels == nullptr) {
    refuse_to_author("it calls itself a backend and has neither " LOCI_DEVICE_INTERFACE
                     " nor " LOCI_KERNELS_INTERFACE);
  }
  return tables;
}

}  // namespace loci::plugin
