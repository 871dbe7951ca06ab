// The two tables of a backend plugin, negotiated: members that an older plugin lacks are NULL.
#pragma once

#include <loci/abi/device.h>
#include <loci/abi/kernels.h>
#include <loci/abi/profile_source.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/plugin/plugin.h"

namespace loci::plugin {

// "loci.device" of one plugin. Thread-safe as the ABI says; open and close are serialised by the
// caller (device::DeviceManager).
struct DeviceBackend {
  Plugin* plugin = nullptr;
  loci_device_api api{};
  std::string device_type;
  std::int32_t score = 0;  // of probe()
  std::optional<loci_profile_source_api> profile_source;
};

// "loci.kernels" of one plugin.
struct KernelLibrary {
  Plugin* plugin = nullptr;
  loci_kernels_api api{};
  std::string device_type;
  std::vector<const loci_kernel_def*> defs;  // in the plugin's order, best first
};

}  // namespace loci::plugin
