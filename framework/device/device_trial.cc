// A backend tried out; see plugin/trial.h.
#include <cstdint>

#include "framework/core/abi/error.h"
#include "framework/core/log.h"
#include "framework/device/backend_tables.h"
#include "framework/device/call_name.h"
#include "framework/device/device_count.h"
#include "framework/plugin/foreign_call.h"

namespace loci::device {
namespace {

// Each may take a while, and the next one is seldom another kind of device.
constexpr std::uint32_t kMostOpened = 16;

Place place_of(const DeviceBackend& backend, std::uint32_t index) {
  return {backend.device_type, static_cast<int>(index)};
}

void open_and_close(const DeviceBackend& backend, std::uint32_t index) {
  const Place place = place_of(backend, index);
  loci_device* device = nullptr;
  loci_error* error = plugin::call_plugin(call_name("open", place), [&] {
    return backend.api.open(backend.plugin->handle(), index, &device);
  });
  if (error != nullptr) {
    // Another process may have it: the plugin does well to say so.
    const Error taken = core::take_error(error);
    core::log(core::Module::kPlugin, core::Level::kDebug, "{} cannot be opened: {}",
              place.to_string(), taken.what());
    return;
  }
  plugin::call_plugin(call_name("close", place), [&] {
    backend.api.close(device);
    return 0;
  });
}

}  // namespace

void BackendTables::try_out() const {
  if (device != nullptr) try_devices(*device);
}

// Without a score nobody asks for devices.
void try_devices(const DeviceBackend& backend) {
  if (backend.score <= 0) return;
  const std::uint32_t count = count_devices(backend);
  for (std::uint32_t index = 0; index < count; ++index) {
    loci_device_info info{};
    info.struct_size = sizeof info;
    plugin::call_plugin_checked(call_name("describe", place_of(backend, index)), [&] {
      return backend.api.describe(backend.plugin->handle(), index, &info);
    });
    if (index < kMostOpened) open_and_close(backend, index);
  }
}

}  // namespace loci::device
