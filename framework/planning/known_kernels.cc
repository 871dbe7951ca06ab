#include "framework/planning/known_kernels.h"

#include <algorithm>
#include <loci/error.hpp>

#include "framework/device/backend_tables.h"
#include "framework/device/device_manager.h"
#include "framework/plugin/plugin_manager.h"
#include "framework/program/guard_text.h"

namespace loci::planning {
namespace {

bool has_kernel(const device::KernelLibrary& library, std::string_view type, DType dtype) {
  const std::vector<const loci_kernel_def*>& defs = library.defs_of(type);
  return std::any_of(defs.begin(), defs.end(), [&](const loci_kernel_def* def) {
    return (def->dtype_mask & LOCI_DTYPE_BIT(static_cast<loci_dtype>(dtype))) != 0;
  });
}

}  // namespace

KnownKernels::Asked KnownKernels::ask(const std::string& guard) const {
  const Place requested = guard.empty() ? preferred_ : program::guarded_place(guard);
  const Place place = device::DeviceManager::instance().resolve(requested, preferred_);
  return {place, device::kernel_libraries(plugin::PluginManager::instance(), place.type())};
}

const KnownKernels::Asked& KnownKernels::asked(const std::string& guard) {
  const auto known = places_.find(guard);
  return known != places_.end() ? known->second : places_.emplace(guard, ask(guard)).first->second;
}

bool KnownKernels::has(std::string_view type, DType dtype, const std::string& guard) {
  const auto [answer, is_new] = answers_.try_emplace({std::string(type), dtype, guard}, false);
  if (!is_new) return answer->second;
  const Libraries& libraries = asked(guard).libraries;
  answer->second = std::any_of(
      libraries.begin(), libraries.end(),
      [&](const device::KernelLibrary* library) { return has_kernel(*library, type, dtype); });
  return answer->second;
}

bool KnownKernels::has_changed() const {
  try {
    return std::any_of(places_.begin(), places_.end(), [this](const auto& known) {
      const Asked now = ask(known.first);
      return now.place != known.second.place || now.libraries != known.second.libraries;
    });
  } catch (const Error&) {
    return true;  // refused by whoever asks anew
  }
}

}  // namespace loci::planning
