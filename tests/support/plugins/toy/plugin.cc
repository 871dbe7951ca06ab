#include <loci/plugin/plugin.hpp>

#include "toy_device.h"
#include "toy_kernels.h"

namespace loci::test {

class ToyPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.test.toy";
  static constexpr std::string_view kVersion = "1.0.0";
  static constexpr std::string_view kDeviceType = "toy";

  ToyPlugin(const sdk::Host&, const sdk::Options&) : kernels_(toy_kernels()) {}

  const void* interface(std::string_view name) {
    if (name == LOCI_DEVICE_INTERFACE) return sdk::device_table<ToyPlugin, ToyDevice>();
    if (name == LOCI_KERNELS_INTERFACE) return sdk::kernels_table<ToyPlugin>();
    return nullptr;
  }
  void relayout(const sdk::RelayoutCall& call) { pack_halves(call); }
  [[nodiscard]] const sdk::KernelList& kernels() const { return kernels_; }

 private:
  sdk::KernelList kernels_;
};

}  // namespace loci::test

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::test::ToyPlugin>(host);
}
