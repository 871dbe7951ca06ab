#include "plugins/sim/plugin.h"

#include <loci/plugin/plugin.hpp>
#include <loci/plugin/profile_source.hpp>

#include "plugins/sim/device.h"
#include "plugins/sim/kernel_list.h"
#include "plugins/sim/kernel_table.h"
#include "plugins/sim/serial_host.h"
#include "plugins/sim/traced_table.h"

namespace loci::sim {

// The empty key is LOCI_SIM itself.
SimPlugin::SimPlugin(const sdk::Host& host, const sdk::Options& options)
    : Machine(parse_settings(host.config(""), options)), kernels_(sim_kernels(settings.without)) {}

const void* SimPlugin::interface(std::string_view name) {
  if (name == LOCI_DEVICE_INTERFACE) return traced_device_table();
  if (name == LOCI_KERNELS_INTERFACE) return queued_kernels_table();
  if (name == LOCI_PROFILE_SOURCE_INTERFACE) return sdk::profile_source_table<SimPlugin>();
  return nullptr;
}

namespace {

loci_error* create(const loci_host_api* host, const loci_kv* options, std::uint64_t option_count,
                   loci_plugin** out_plugin) noexcept {
  const loci_host_api serial = serial_host(*host);
  return sdk::describe_plugin<SimPlugin>(nullptr)->create(&serial, options, option_count,
                                                          out_plugin);
}

loci_plugin_desc describe() {
  loci_plugin_desc desc = *sdk::describe_plugin<SimPlugin>(nullptr);
  desc.create = &create;
  return desc;
}

}  // namespace
}  // namespace loci::sim

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info*) {
  static const loci_plugin_desc kDesc = loci::sim::describe();
  return &kDesc;
}
