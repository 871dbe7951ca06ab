#include "plugins/sim_graph/plugin.h"

#include <loci/plugin/plugin.hpp>

#include "plugins/sim_graph/capturer.h"

namespace loci::sim_graph {

const void* SimGraphPlugin::interface(std::string_view name) {
  if (name != LOCI_CAPTURE_INTERFACE) return nullptr;
  return sdk::capturer_table<SimGraphPlugin, Capturer>();
}

}  // namespace loci::sim_graph

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::sim_graph::SimGraphPlugin>(host);
}
