// The tables of a backend plugin, taken over and checked.
#pragma once

#include <memory>
#include <string>

#include "framework/plugin/backend.h"
#include "framework/plugin/instance.h"
#include "framework/plugin/manifest.h"

namespace loci::plugin {

// What a backend brings. A plugin may bring devices, kernels for devices of another one, or both.
struct BackendTables {
  std::unique_ptr<DeviceBackend> device;
  std::unique_ptr<KernelLibrary> kernels;
  // Why this machine has none of its devices, if the probe said so.
  std::string unavailable;
};

// Probes the devices; opens none. Throws LoadError for a table that is incomplete or not of the
// manifest's device types, a probe that fails, and a backend without any table.
BackendTables take_backend_tables(Instance& instance, const Manifest& manifest);

}  // namespace loci::plugin
