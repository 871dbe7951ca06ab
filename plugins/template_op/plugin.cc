// The plugin brings an op, and a kernel of it for the CPU.
#include <loci/plugin/plugin.hpp>

#include "swish.h"

namespace sample_plugin {

class SamplePlugin {
 public:
  static constexpr std::string_view kId = "org.example.sample";  // as in manifest.json
  static constexpr std::string_view kVersion = "0.1.0";
  static constexpr std::string_view kDeviceType = "cpu";

  SamplePlugin(const sdk::Host&, const sdk::Options&)
      : ops_({swish_op()}), kernels_({swish_kernel()}) {}

  const void* interface(std::string_view name) {
    if (name == LOCI_OPS_INTERFACE) return sdk::ops_table<SamplePlugin>();
    if (name == LOCI_KERNELS_INTERFACE) return sdk::kernels_table<SamplePlugin>();
    return nullptr;
  }
  [[nodiscard]] sdk::OpList& ops() { return ops_; }
  [[nodiscard]] const sdk::KernelList& kernels() const { return kernels_; }

 private:
  sdk::OpList ops_;
  sdk::KernelList kernels_;
};

}  // namespace sample_plugin

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<sample_plugin::SamplePlugin>(host);
}
