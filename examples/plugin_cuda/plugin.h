// The plugin's one object.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "driver.h"

namespace mycuda {

struct DeviceText {
  CUdevice device = 0;
  std::string name;
  std::uint64_t memory = 0;
};

class Plugin {
 public:
  static constexpr std::string_view kId = "org.example.mycuda";
  static constexpr std::string_view kVersion = "1.0.0";
  static constexpr std::string_view kDeviceType = "mycuda";

  Plugin(const loci::sdk::Host& host, const loci::sdk::Options& options);
  const void* interface(std::string_view name);
  [[nodiscard]] const loci::sdk::KernelList& kernels() const { return kernels_; }

  // Returns the text that describe() lends the host, for as long as the plugin lives. Throws if
  // there is no such device.
  const DeviceText& text(std::uint32_t index);

 private:
  loci::sdk::KernelList kernels_;
  std::mutex mutex_;
  std::map<std::uint32_t, DeviceText> texts_;
};

// In relu.cc.
loci::sdk::KernelDef relu_kernel();

}  // namespace mycuda
