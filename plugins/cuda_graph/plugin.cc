#include "plugin.h"

#include <loci/plugin/plugin.hpp>

#include "capturer.h"

namespace loci::cuda_graph {

const void* Plugin::interface(std::string_view name) {
  if (name != LOCI_CAPTURE_INTERFACE) return nullptr;
  return sdk::capturer_table<Plugin, Capturer>();
}

}  // namespace loci::cuda_graph

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::cuda_graph::Plugin>(host);
}
