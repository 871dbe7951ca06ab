#include "framework/device/required_functions.h"

#include <array>
#include <cstddef>
#include <utility>

#include "framework/core/raise.h"
#include "framework/plugin/plugin.h"

namespace loci::device {
namespace {

using Member = std::pair<const char*, bool>;

template <std::size_t N>
void require(const device::DeviceBackend& backend, const std::array<Member, N>& members) {
  for (const auto& [name, present] : members) {
    if (present) continue;
    core::raise(ErrorCode::kIncompatible,
                "[device] plugin {} brings '{}' without the function {}, which such a device needs",
                backend.plugin->id(), backend.device_type, name);
  }
}

}  // namespace

void require_opening(const DeviceBackend& backend) {
  const loci_device_api& api = backend.api;
  require<3>(backend, {{{"describe", api.describe != nullptr},
                        {"open", api.open != nullptr},
                        {"close", api.close != nullptr}}});
}

void require_memory(const DeviceBackend& backend) {
  const loci_device_api& api = backend.api;
  require<3>(backend, {{{"mem_alloc", api.mem_alloc != nullptr},
                        {"mem_free", api.mem_free != nullptr},
                        {"copy", api.copy != nullptr}}});
}

void require_streams(const DeviceBackend& backend) {
  const loci_device_api& api = backend.api;
  require<10>(backend, {{{"stream_create", api.stream_create != nullptr},
                         {"stream_destroy", api.stream_destroy != nullptr},
                         {"stream_query", api.stream_query != nullptr},
                         {"stream_synchronize", api.stream_synchronize != nullptr},
                         {"stream_wait_event", api.stream_wait_event != nullptr},
                         {"event_create", api.event_create != nullptr},
                         {"event_destroy", api.event_destroy != nullptr},
                         {"event_record", api.event_record != nullptr},
                         {"event_query", api.event_query != nullptr},
                         {"event_synchronize", api.event_synchronize != nullptr}}});
}

}  // namespace loci::device
