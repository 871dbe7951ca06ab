// The plugin brings the device of device.h, and the kernels of kernels.cc.
#include <loci/plugin/plugin.hpp>

#include "device.h"
#include "kernels.h"

namespace sample_plugin {

class SamplePlugin {
 public:
  static constexpr std::string_view kId = "org.example.sample";  // as in manifest.json
  static constexpr std::string_view kVersion = "0.1.0";
  static constexpr std::string_view kDeviceType = "sample";

  SamplePlugin(const loci::sdk::Host&, const loci::sdk::Options&) : kernels_(make_kernels()) {}

  const void* interface(std::string_view name) {
    using loci::sdk::device_table;
    using loci::sdk::kernels_table;
    if (name == LOCI_DEVICE_INTERFACE) return device_table<SamplePlugin, SampleDevice>();
    if (name == LOCI_KERNELS_INTERFACE) return kernels_table<SamplePlugin>();
    return nullptr;
  }
  void relayout(const loci::sdk::RelayoutCall& call) { pack_by_columns(call); }
  [[nodiscard]] const loci::sdk::KernelList& kernels() const { return kernels_; }

 private:
  loci::sdk::KernelList kernels_;
};

}  // namespace sample_plugin

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<sample_plugin::SamplePlugin>(host);
}
