#include "framework/device/device_count.h"

#include <fmt/format.h>

#include "framework/plugin/foreign_call.h"

namespace loci::device {

std::uint32_t count_devices(const DeviceBackend& backend) {
  std::uint32_t count = 0;
  plugin::call_plugin_checked("count",
                              [&] { return backend.api.count(backend.plugin->handle(), &count); });
  if (count > LOCI_MAX_DEVICES) {
    plugin::refuse_to_author(
        fmt::format("its count gave {} devices; there are at most {}", count, LOCI_MAX_DEVICES));
  }
  return count;
}

}  // namespace loci::device
