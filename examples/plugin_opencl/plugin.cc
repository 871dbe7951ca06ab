#include "plugin.h"

#include <loci/plugin/plugin.hpp>

#include "device.h"
#include "kernels/kernel_list.h"

namespace opencl {

Plugin::Plugin(const loci::sdk::Host&, const loci::sdk::Options&) : kernels_(all_kernels()) {}

const void* Plugin::interface(std::string_view name) {
  if (name == LOCI_DEVICE_INTERFACE) return loci::sdk::device_table<Plugin, Device>();
  if (name == LOCI_KERNELS_INTERFACE) return loci::sdk::kernels_table<Plugin>();
  return nullptr;
}

const DeviceList& Plugin::list() {
  std::call_once(looked_, [this] { list_ = find_devices(); });
  return list_;
}

}  // namespace opencl

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<opencl::Plugin>(host);
}
