#include <loci/inspect.hpp>

#include "framework/core/environment.h"
#include "framework/device/device_manager.h"
#include "framework/device_graph/capturer.h"

namespace loci {
inline namespace v0 {
namespace inspect {

Capturer capturer(const Place& place) {
  core::check_environment();
  device::Device& device = device::DeviceManager::instance().get(place);
  const auto found = core::in_context<device_graph::Capturers>().of(device);
  if (found.capturer != nullptr) return {found.capturer->plugin().id(), ""};
  return {"", found.reason, found.has_failed};
}

}  // namespace inspect
}  // namespace v0
}  // namespace loci
