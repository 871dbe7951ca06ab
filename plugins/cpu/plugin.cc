// The CPU plugin. Its options "onednn" and "winograd" (LOCI_CPU_ONEDNN, LOCI_CPU_WINOGRAD) are 0 to
// leave those kernels out; for "isa" (LOCI_CPU_ISA) see isa_option.h, and for "canaries"
// (LOCI_CPU_CANARIES), which is 1 to find kernels that write outside their memory, canary_table.h.
#include "plugins/cpu/plugin.h"

#include <loci/plugin/plugin.hpp>
#include <string>

#include "plugins/cpu/canary_table.h"
#include "plugins/cpu/device.h"
#include "plugins/cpu/isa_option.h"
#include "plugins/cpu/kernel_list.h"
#include "plugins/cpu/onednn/engine.h"
#include "plugins/cpu/onednn/kept_statics.h"
#include "plugins/cpu/onednn/packed_layouts.h"
#include "plugins/cpu/onednn/workspace.h"
#include "plugins/cpu/packed_filter.h"
#include "plugins/cpu/packed_layout.h"

namespace loci::cpu {
namespace {

std::string_view value_of(const std::string& name, const sdk::Host& host,
                          const sdk::Options& options) {
  const auto option = options.find(name);
  return option != options.end() ? std::string_view(option->second) : host.config(name);
}

// 1 or 0; `unsaid` where nothing is said.
bool is_on(const sdk::Host& host, const sdk::Options& options, const std::string& name,
           bool unsaid = true) {
  const std::string_view value = value_of(name, host, options);
  if (value.empty()) return unsaid;
  if (value == "1") return true;
  if (value == "0") return false;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   "[cpu] the option " + name + " is '" + std::string(value) + "'; give 0 or 1");
}

}  // namespace

CpuPlugin::CpuPlugin(const sdk::Host& host, const sdk::Options& options)
    : kernels_(cpu_kernels({.onednn = is_on(host, options, "onednn"),
                            .winograd = is_on(host, options, "winograd")})),
      has_canaries_(is_on(host, options, "canaries", /*unsaid=*/false)) {
  onednn::keep_statics();
  limit_isa(value_of("isa", host, options));
  onednn::bound_primitive_cache();
  if (has_canaries_) onednn::use_canaries_in_workspaces();
}

void CpuPlugin::relayout(const sdk::RelayoutCall& call) {
  if (!relayout_packed(call) && !relayout_winograd(call)) onednn::relayout(call);
}

const void* CpuPlugin::interface(std::string_view name) {
  if (name == LOCI_DEVICE_INTERFACE) return sdk::device_table<CpuPlugin, CpuDevice>();
  if (name == LOCI_KERNELS_INTERFACE) {
    return has_canaries_ ? canaried_kernels_table() : sdk::kernels_table<CpuPlugin>();
  }
  return nullptr;
}

}  // namespace loci::cpu

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::cpu::CpuPlugin>(host);
}
