// What loading asks of those who know an interface.
//
// An interface's adapter lies with what it adapts to, in a folder that stands on this one. Loading
// has to refuse a plugin whose tables are wrong, and to find things by what is here: it looks into
// none of them. So the functions are declared here and defined there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/plugin/instance.h"
#include "framework/plugin/manifest.h"

namespace loci::device {
struct DeviceBackend;
struct KernelLibrary;
}  // namespace loci::device

namespace loci::reporting {
struct Reporter;
}

namespace loci::device_graph {
struct CapturerLibrary;
}

namespace loci::plugin {

// What a backend brings. A plugin may bring devices, kernels for devices of another one, or both.
struct BackendTables {
  std::shared_ptr<const device::DeviceBackend> device;
  std::string device_type;
  std::int32_t score = 0;  // of the probe
  // Why this machine has none of its devices, if the probe said so.
  std::string unavailable;
  std::shared_ptr<const device::KernelLibrary> kernels;
  std::string kernels_type;  // the device type that they are for
};

// Probes the devices; opens none. Throws LoadError for a table that is incomplete or not of the
// manifest's device types, a probe that fails, and a backend without any table. In
// framework/device.
BackendTables take_backend_tables(Instance& instance, const Manifest& manifest);
// Calls all that discovery would, and opens and closes the first devices; nothing without a score.
// Throws LoadError; a device that cannot be opened is none. In framework/device.
void try_devices(const device::DeviceBackend& backend);

// "loci.capture". Throws LoadError if the plugin has no such table, or for one that is incomplete
// or not of the manifest's device type. In framework/device_graph.
std::shared_ptr<const device_graph::CapturerLibrary> take_capturer(Instance& instance,
                                                                   const Manifest& manifest);

// One of "loci.profile.reporter".
struct TakenReporter {
  std::string name;
  std::shared_ptr<const reporting::Reporter> reporter;
};

// Throws LoadError if the plugin has no such table, for a table or definition that is incomplete,
// and for reporters that are not those of the manifest. In framework/reporting.
std::vector<TakenReporter> take_reporters(Instance& instance, const Manifest& manifest);

}  // namespace loci::plugin
