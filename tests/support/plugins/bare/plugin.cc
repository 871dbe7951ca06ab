// A backend as new as one can be: a device with memory of its own, and one kernel.
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/plugin.hpp>

#include "toy_device.h"

namespace loci::test {
namespace {

struct Relu {
  void launch(const sdk::Launch& launch) const {
    const auto* x = static_cast<const float*>(to_real(launch.input<float>(0)));
    auto* out = static_cast<float*>(to_real(launch.output<float>(0)));
    for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] < 0 ? 0 : x[i];
  }
  std::int64_t count;
};

void prepare_relu(sdk::Prepare& prepare) { prepare.emplace<Relu>(prepare.op().output(0).numel()); }

}  // namespace

class ToyPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.test.bare";
  static constexpr std::string_view kVersion = "1.0.0";
  static constexpr std::string_view kDeviceType = "bare";

  ToyPlugin(const sdk::Host&, const sdk::Options&)
      : kernels_(
            {{"relu", "bare", LOCI_DTYPE_BIT(LOCI_DTYPE_F32), sdk::make_kernel<prepare_relu>}}) {}

  const void* interface(std::string_view name) {
    if (name == LOCI_DEVICE_INTERFACE) return sdk::device_table<ToyPlugin, ToyDevice>();
    if (name == LOCI_KERNELS_INTERFACE) return sdk::kernels_table<ToyPlugin>();
    return nullptr;
  }
  [[nodiscard]] const sdk::KernelList& kernels() const { return kernels_; }

 private:
  sdk::KernelList kernels_;
};

}  // namespace loci::test

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::test::ToyPlugin>(host);
}
