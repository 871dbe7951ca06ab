// The CPU plugin. Its option "onednn" (LOCI_CPU_ONEDNN) is 0 to leave out oneDNN's kernels.
#include "plugins/cpu/plugin.h"

#include <loci/plugin/plugin.hpp>

#include "plugins/cpu/device.h"
#include "plugins/cpu/kernel_list.h"
#include "plugins/cpu/onednn/packed_layouts.h"
#include "plugins/cpu/packed_kernels.h"

namespace loci::cpu {
namespace {

bool uses_onednn(const sdk::Host& host, const sdk::Options& options) {
  const auto option = options.find("onednn");
  const std::string_view value =
      option != options.end() ? std::string_view(option->second) : host.config("onednn");
  if (value.empty() || value == "1") return true;
  if (value == "0") return false;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   "[cpu] the option onednn is '" + std::string(value) + "'; give 0 or 1");
}

}  // namespace

CpuPlugin::CpuPlugin(const sdk::Host& host, const sdk::Options& options)
    : kernels_(cpu_kernels(uses_onednn(host, options))) {}

void CpuPlugin::relayout(const sdk::RelayoutCall& call) {
  if (!relayout_packed(call)) onednn::relayout(call);
}

const void* CpuPlugin::interface(std::string_view name) {
  if (name == LOCI_DEVICE_INTERFACE) return sdk::device_table<CpuPlugin, CpuDevice>();
  if (name == LOCI_KERNELS_INTERFACE) return sdk::kernels_table<CpuPlugin>();
  return nullptr;
}

}  // namespace loci::cpu

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::cpu::CpuPlugin>(host);
}
