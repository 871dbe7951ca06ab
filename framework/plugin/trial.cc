#include "framework/plugin/trial.h"

#include <cstdint>

#include "framework/core/log.h"
#include "framework/plugin/device_count.h"

namespace loci::plugin {
namespace {

// Each may take a while, and the next one is seldom another kind of device.
constexpr std::uint32_t kMostOpened = 16;

void open_and_close(const DeviceBackend& backend, std::uint32_t index) {
  loci_device* device = nullptr;
  loci_error* error = call_plugin(
      "open", [&] { return backend.api.open(backend.plugin->handle(), index, &device); });
  if (error != nullptr) {
    // Another process may have it: the plugin does well to say so.
    const Error taken = core::take_error(error);
    core::log(core::Module::kPlugin, core::Level::kDebug, "{}:{} cannot be opened: {}",
              backend.device_type, index, taken.what());
    return;
  }
  call_plugin("close", [&] {
    backend.api.close(device);
    return 0;
  });
}

// Without a score nobody asks for devices.
void try_devices(const DeviceBackend& backend) {
  if (backend.score <= 0) return;
  const std::uint32_t count = count_devices(backend);
  for (std::uint32_t index = 0; index < count; ++index) {
    loci_device_info info{};
    info.struct_size = sizeof info;
    call_plugin_checked(
        "describe", [&] { return backend.api.describe(backend.plugin->handle(), index, &info); });
    if (index < kMostOpened) open_and_close(backend, index);
  }
}

}  // namespace

void try_out(Record& record, const CallWatch::Function& step) {
  const CallWatch watch(step);
  OpOwners owners;
  activate(record, owners);
  if (record.instance == nullptr) return;
  attempt(record, [&record] {
    if (record.backend.device != nullptr) try_devices(*record.backend.device);
    record.instance->destroy_or_throw();
  });
  record.instance->destroy();  // of one that failed
}

}  // namespace loci::plugin
