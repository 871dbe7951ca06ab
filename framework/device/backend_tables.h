// The plugins of the kind "backend": devices, kernels for devices of another plugin, or both.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/device/backend.h"
#include "framework/plugin/interface_kind.h"
#include "framework/plugin/plugin_manager.h"

namespace loci::device {

// A backend plugin brings a device, kernels, or both.
struct BackendTables final : plugin::Contribution {
  std::shared_ptr<const DeviceBackend> device;
  std::string unavailable;  // why this machine has none of its devices, if the probe said so
  std::shared_ptr<const KernelLibrary> kernels;

  void tell(plugins::Candidate& report) const override;
  void try_out() const override;
};

extern const plugin::Kind<BackendTables> kBackendKind;

// Probes the devices; opens none. Throws LoadError for a table that is incomplete or not of the
// manifest's device types, a probe that fails, and a backend without any table.
BackendTables take_backend_tables(plugin::Instance& instance, const plugin::Manifest& manifest);
// Calls all that discovery would, and opens and closes the first devices; nothing without a score.
// Throws LoadError; a device that cannot be opened is none.
void try_devices(const DeviceBackend& backend);

// Backends of that type whose probe succeeded, best score first; activates them.
std::vector<const DeviceBackend*> backends(plugin::PluginManager& plugins,
                                           std::string_view device_type);
// Kernel libraries for that type, in search order; activates them.
std::vector<const KernelLibrary*> kernel_libraries(plugin::PluginManager& plugins,
                                                   std::string_view device_type);

}  // namespace loci::device
