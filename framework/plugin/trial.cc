#include "framework/plugin/trial.h"

#include <cstdint>

namespace loci::plugin {
namespace {

// What the devices of a type are listed with. Without a score nobody asks for them.
void describe_devices(const DeviceBackend& backend) {
  if (backend.score <= 0) return;
  loci_plugin* plugin = backend.plugin->handle();
  std::uint32_t count = 0;
  call_plugin_checked("count", [&] { return backend.api.count(plugin, &count); });
  for (std::uint32_t index = 0; index < count; ++index) {
    loci_device_info info{};
    info.struct_size = sizeof info;
    call_plugin_checked("describe", [&] { return backend.api.describe(plugin, index, &info); });
  }
}

}  // namespace

void try_out(Record& record, const CallWatch::Function& step) {
  const CallWatch watch(step);
  OpOwners owners;
  activate(record, owners);
  if (record.instance == nullptr) return;
  attempt(record, [&record] {
    if (record.backend.device != nullptr) describe_devices(*record.backend.device);
    record.instance->destroy_or_throw();
  });
  record.instance->destroy();  // of one that failed
}

}  // namespace loci::plugin
