// The CPU plugin. Its options "onednn" and "winograd" (LOCI_CPU_ONEDNN, LOCI_CPU_WINOGRAD) are 0 to
// leave those kernels out; for "isa" (LOCI_CPU_ISA) see isa_option.h.
#include "plugins/cpu/plugin.h"

#include <loci/plugin/plugin.hpp>
#include <string>

#include "plugins/cpu/device.h"
#include "plugins/cpu/isa_option.h"
#include "plugins/cpu/kernel_list.h"
#include "plugins/cpu/onednn/engine.h"
#include "plugins/cpu/onednn/packed_layouts.h"
#include "plugins/cpu/packed_filter.h"
#include "plugins/cpu/packed_layout.h"

namespace loci::cpu {
namespace {

std::string_view value_of(const std::string& name, const sdk::Host& host,
                          const sdk::Options& options) {
  const auto option = options.find(name);
  return option != options.end() ? std::string_view(option->second) : host.config(name);
}

// 1, which is meant where nothing is said, or 0.
bool is_on(const sdk::Host& host, const sdk::Options& options, const std::string& name) {
  const std::string_view value = value_of(name, host, options);
  if (value.empty() || value == "1") return true;
  if (value == "0") return false;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   "[cpu] the option " + name + " is '" + std::string(value) + "'; give 0 or 1");
}

}  // namespace

CpuPlugin::CpuPlugin(const sdk::Host& host, const sdk::Options& options)
    : kernels_(cpu_kernels({.onednn = is_on(host, options, "onednn"),
                            .winograd = is_on(host, options, "winograd")})) {
  limit_isa(value_of("isa", host, options));
  onednn::bound_primitive_cache();
}

void CpuPlugin::relayout(const sdk::RelayoutCall& call) {
  if (!relayout_packed(call) && !relayout_winograd(call)) onednn::relayout(call);
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
