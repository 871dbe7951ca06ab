#include "framework/device/device_info.h"

#include <bit>
#include <string_view>

#include "framework/core/abi/error.h"
#include "framework/core/raise.h"
#include "framework/device/call_name.h"
#include "framework/plugin/foreign_call.h"
#include "framework/plugin/plugin.h"
#include "framework/plugin/stated_text.h"

namespace loci::device {
namespace {

constexpr std::uint64_t kLeastAlignment = 64;

std::string text_of(loci_str text, std::string_view what) {
  return std::string(plugin::stated_text(text, what));
}

DeviceInfo taken(const loci_device_info& info) {
  return {.name = text_of(info.name, "describe's name"),
          .arch = text_of(info.arch, "describe's arch"),
          .uuid = text_of(info.uuid, "describe's uuid"),
          .driver = text_of(info.driver, "describe's driver"),
          .flags = info.flags,
          .total_memory = info.total_memory,
          .alignment = info.alignment,
          .min_chunk = info.min_chunk == 0 ? 1 : info.min_chunk,
          .compute_units = info.compute_units,
          .least_priority = info.least_priority,
          .greatest_priority = info.greatest_priority,
          .peak_flops = info.peak_flops,
          .peak_bytes = info.peak_bytes,
          .max_allocations = info.max_allocations};
}

DeviceInfo ask(const DeviceBackend& backend, const Place& place) {
  plugin::Plugin& plugin = *backend.plugin;
  loci_device_info info{};
  info.struct_size = sizeof info;
  DeviceInfo said;
  plugin::blaming(plugin, [&] {
    loci_error* error = plugin::call_plugin(call_name("describe", place), [&] {
      return backend.api.describe(plugin.handle(), static_cast<std::uint32_t>(place.index()),
                                  &info);
    });
    if (error != nullptr) {
      throw core::take_error(error).within(
          fmt::format("[device] {}: describing it", place.to_string()));
    }
    said = taken(info);
  });
  return said;
}

}  // namespace

DeviceInfo read_device_info(const DeviceBackend& backend, const Place& place) {
  DeviceInfo info = ask(backend, place);
  const bool uses_host_memory = (info.flags & LOCI_DEVICE_HOST_MEMORY) != 0;
  if (!uses_host_memory &&
      (info.alignment < kLeastAlignment || !std::has_single_bit(info.alignment))) {
    core::raise(
        ErrorCode::kIncompatible,
        "[device] {}: plugin {} states an alignment of {} bytes; it has to be a power of two "
        "and 64 or more",
        place.to_string(), backend.plugin->id(), info.alignment);
  }
  if (info.greatest_priority > 0 || info.least_priority < 0) {
    core::raise(ErrorCode::kIncompatible,
                "[device] {}: plugin {} states stream priorities from {} (greatest) to {} (least); "
                "0 has to be one of them, and the greater priority is the lower number",
                place.to_string(), backend.plugin->id(), info.greatest_priority,
                info.least_priority);
  }
  return info;
}

}  // namespace loci::device
