// The CPU plugin's one object.
#pragma once

#include <loci/plugin/kernel.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <string_view>

namespace loci::cpu {

class CpuPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.cpu";
  static constexpr std::string_view kVersion = LOCI_CPU_PLUGIN_VERSION;
  static constexpr std::string_view kDeviceType = "cpu";

  CpuPlugin(const sdk::Host& host, const sdk::Options& options);
  [[nodiscard]] const sdk::KernelList& kernels() const { return kernels_; }
  const void* interface(std::string_view name);
  void relayout(const sdk::RelayoutCall& call);

 private:
  sdk::KernelList kernels_;
  bool has_canaries_;
};

}  // namespace loci::cpu
