// The capturer of the software accelerator.
#pragma once

#include <loci/plugin/capturer.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <string_view>

#include "plugins/sim_graph/faults.h"

namespace loci::sim_graph {

class SimGraphPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.sim_graph";
  static constexpr std::string_view kVersion = LOCI_SIM_GRAPH_PLUGIN_VERSION;
  static constexpr std::string_view kDeviceType = "sim";

  SimGraphPlugin(const sdk::Host&, const sdk::Options& options) : faults_(options) {}
  const void* interface(std::string_view name);
  [[nodiscard]] Faults& faults() { return faults_; }

 private:
  Faults faults_;
};

}  // namespace loci::sim_graph
