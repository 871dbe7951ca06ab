#include "graph.h"

#include "node_text.h"

namespace loci::cuda_graph {

void Graph::stats(loci_graph_stats& stats) const {
  for (const Node& node : captured_->nodes()) {
    switch (node.type) {
      case CU_GRAPH_NODE_TYPE_KERNEL: ++stats.kernels; break;
      case CU_GRAPH_NODE_TYPE_MEMCPY: ++stats.copies; break;
      case CU_GRAPH_NODE_TYPE_MEMSET: ++stats.fills; break;
      default: ++stats.others; break;
    }
  }
  stats.bytes = captured_->bytes();
}

std::string Graph::dump() const { return lines_of(*driver_, *captured_); }

std::unique_ptr<Exec> Graph::instantiate() const {
  return std::make_unique<Exec>(driver_, captured_);
}

}  // namespace loci::cuda_graph
