#include "plugin.h"

#include <array>
#include <loci/plugin/plugin.hpp>

#include "device.h"

namespace mycuda {

Plugin::Plugin(const loci::sdk::Host&, const loci::sdk::Options&) : kernels_({relu_kernel()}) {}

const void* Plugin::interface(std::string_view name) {
  if (name == LOCI_DEVICE_INTERFACE) return loci::sdk::device_table<Plugin, Device>();
  if (name == LOCI_KERNELS_INTERFACE) return loci::sdk::kernels_table<Plugin>();
  return nullptr;
}

const DeviceText& Plugin::text(std::uint32_t index) {
  if (index >= Device::count(*this)) {
    throw loci::sdk::Error(LOCI_CODE_NOT_FOUND,
                           "[mycuda] there is no device " + std::to_string(index));
  }
  const std::lock_guard lock(mutex_);
  DeviceText& text = texts_[index];
  if (!text.name.empty()) return text;
  std::array<char, 256> name{};
  std::size_t bytes = 0;
  check(driver().cuDeviceGet(&text.device, static_cast<int>(index)), "looking for a device");
  check(driver().cuDeviceTotalMem(&bytes, text.device), "describing a device");
  check(driver().cuDeviceGetName(name.data(), static_cast<int>(name.size()), text.device),
        "describing a device");
  text.memory = bytes;
  text.name = name.data();
  return text;
}

}  // namespace mycuda

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<mycuda::Plugin>(host);
}
