// The CPU plugin. Its option "onednn" (LOCI_CPU_ONEDNN) is 0 to leave out oneDNN's kernels; for
// "isa" (LOCI_CPU_ISA) see isa_option.h.
#include "plugins/cpu/plugin.h"

#include <loci/plugin/plugin.hpp>

#include "plugins/cpu/device.h"
#include "plugins/cpu/isa_option.h"
#include "plugins/cpu/kernel_list.h"
#include "plugins/cpu/onednn/packed_layouts.h"
#include "plugins/cpu/packed_kernels.h"

namespace loci::cpu {
namespace {

std::string_view value_of(const char* name, const sdk::Host& host, const sdk::Options& options) {
  const auto option = options.find(name);
  return option != options.end() ? std::string_view(option->second) : host.config(name);
}

bool uses_onednn(std::string_view value) {
  if (value.empty() || value == "1") return true;
  if (value == "0") return false;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   "[cpu] the option onednn is '" + std::string(value) + "'; give 0 or 1");
}

}  // namespace

CpuPlugin::CpuPlugin(const sdk::Host& host, const sdk::Options& options)
    : kernels_(cpu_kernels(uses_onednn(value_of("onednn", host, options)))) {
  limit_isa(value_of("isa", host, options));
}

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
