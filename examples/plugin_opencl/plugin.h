// The plugin's one object.
#pragma once

#include <loci/plugin/kernel.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <mutex>
#include <string_view>

#include "device_list.h"

namespace opencl {

class Plugin {
 public:
  static constexpr std::string_view kId = "org.example.opencl";
  static constexpr std::string_view kVersion = OPENCL_PLUGIN_VERSION;
  static constexpr std::string_view kDeviceType = "opencl";

  Plugin(const loci::sdk::Host& host, const loci::sdk::Options& options);
  const void* interface(std::string_view name);
  [[nodiscard]] const loci::sdk::KernelList& kernels() const { return kernels_; }

  // Looks for devices when first called.
  const DeviceList& list();

 private:
  loci::sdk::KernelList kernels_;
  std::once_flag looked_;
  DeviceList list_;
};

}  // namespace opencl
