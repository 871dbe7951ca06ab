// The plugin of the software accelerator. See README.md for its settings.
#pragma once

#include <loci/plugin/kernel.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <string_view>

#include "plugins/sim/machine.h"

namespace loci::sim {

class SimPlugin : public Machine {
 public:
  static constexpr std::string_view kId = "org.loci.sim";
  static constexpr std::string_view kVersion = LOCI_SIM_PLUGIN_VERSION;
  static constexpr std::string_view kDeviceType = "sim";

  // Throws Error(LOCI_CODE_INVALID_ARGUMENT) for a malformed setting.
  SimPlugin(const sdk::Host& host, const sdk::Options& options);
  [[nodiscard]] const sdk::KernelList& kernels() const { return kernels_; }
  const void* interface(std::string_view name);
  [[nodiscard]] ProfileSource& profile_source() { return profile; }

 private:
  sdk::KernelList kernels_;
};

}  // namespace loci::sim
