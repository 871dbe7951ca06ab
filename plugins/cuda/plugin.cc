#include "plugin.h"

#include <loci/plugin/plugin.hpp>

#include "device.h"
#include "kernels/kernel_list.h"

namespace loci::cuda {

Plugin::Plugin(const sdk::Host& host, const sdk::Options& options)
    : driver_path_(setting_of(host, options, "driver")),
      faults_(read_fault_settings(host, options)),
      kernels_(all_kernels()) {}

const void* Plugin::interface(std::string_view name) {
  if (name == LOCI_DEVICE_INTERFACE) return sdk::device_table<Plugin, Device>();
  if (name == LOCI_KERNELS_INTERFACE) return sdk::kernels_table<Plugin>();
  return nullptr;
}

const Driver& Plugin::driver() {
  std::call_once(looked_, [this] {
    driver_ = std::make_unique<Driver>(driver_path_);
    driver_->require_same_process();
    list_ = find_devices(*driver_);
  });
  driver_->require_same_process();
  return *driver_;
}

const DeviceList& Plugin::list() {
  driver();
  return list_;
}

}  // namespace loci::cuda

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::cuda::Plugin>(host);
}
