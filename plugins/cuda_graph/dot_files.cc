#include "dot_files.h"

namespace loci::cuda_graph {

void DotFiles::write(const Driver& driver, const Captured& captured) {
  if (directory_.empty()) return;
  const std::string path = directory_ + "/cuda-graph-" + std::to_string(++count_) + ".dot";
  driver.check(driver->cuGraphDebugDotPrint(captured.handle(), path.c_str(),
                                            CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE),
               "drawing a graph to '" + path + "'");
}

}  // namespace loci::cuda_graph
