// The functions behind "sim.graphs".
#pragma once

#include "plugins/sim/graph_driver.h"

namespace loci::sim {

[[nodiscard]] const GraphDriver& graph_driver();

}  // namespace loci::sim
