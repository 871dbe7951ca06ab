// The two tables of a backend plugin, negotiated: members that an older plugin lacks are NULL.
#pragma once

#include <loci/abi/device.h>
#include <loci/abi/kernels.h>
#include <loci/abi/profile_source.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/plugin/plugin.h"

namespace loci::device {

// "loci.device" of one plugin. Thread-safe as the ABI says; open and close are serialised by the
// caller (device::DeviceManager).
struct DeviceBackend {
  plugin::Plugin* plugin = nullptr;
  loci_device_api api{};
  std::string device_type;
  std::int32_t score = 0;  // of probe()
  std::optional<loci_profile_source_api> profile_source;
};

// "loci.kernels" of one plugin. Here and not with dispatch, because memory counts what a backend
// brings, and transfer packs constants by a library's relayout; neither stands on dispatch.
struct KernelLibrary {
  plugin::Plugin* plugin = nullptr;
  loci_kernels_api api{};
  std::string device_type;
  std::vector<const loci_kernel_def*> defs;  // in the plugin's order, best first
  // The definitions by op, in that order, so that asking for one op's does not walk all.
  std::unordered_map<std::string_view, std::vector<const loci_kernel_def*>> defs_by_op;

  // Those of one op, in that order.
  [[nodiscard]] const std::vector<const loci_kernel_def*>& defs_of(std::string_view op) const;
};

}  // namespace loci::device
