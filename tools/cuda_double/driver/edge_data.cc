#include "tools/cuda_double/driver/edge_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cuda_double/driver/driver_error.h"

namespace loci::cuda_double {
namespace {

bool is_plain(const CUgraphEdgeData& edge) {
  return edge.from_port == CU_GRAPH_KERNEL_NODE_PORT_DEFAULT && edge.to_port == 0 &&
         edge.type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT;
}

bool has_reserved(const CUgraphEdgeData& edge) {
  return std::any_of(std::begin(edge.reserved), std::end(edge.reserved),
                     [](unsigned char byte) { return byte != 0; });
}

// The header says that a programmatic edge leaves by one of two ports, and the first of them is
// left by such an edge alone.
bool is_valid(const CUgraphEdgeData& edge) {
  const bool programmatic = edge.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  const bool known = programmatic || edge.type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT;
  if (!known || edge.to_port != 0 || has_reserved(edge)) return false;
  switch (edge.from_port) {
    case CU_GRAPH_KERNEL_NODE_PORT_DEFAULT: return !programmatic;
    case CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC: return programmatic;
    default: return edge.from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER;
  }
}

void check_edge(const CUgraphEdgeData& edge, std::size_t number) {
  const unsigned from = edge.from_port;
  const unsigned to = edge.to_port;
  const unsigned type = edge.type;
  if (!is_valid(edge)) {
    throw DriverError(CUDA_ERROR_INVALID_VALUE,
                      fmt::format("the data of edge {} is none: type {}, from port {}, to port {}",
                                  number, type, from, to));
  }
  if (is_plain(edge)) return;
  throw DriverError(
      CUDA_ERROR_NOT_SUPPORTED,
      fmt::format("edge {} is {}, of type {} from port {}; the double has plain edges alone",
                  number, type == 0 ? "of launch order" : "programmatic", type, from));
}

}  // namespace

void require_plain_edges(const CUgraphEdgeData* data, std::size_t count) {
  for (std::size_t i = 0; data != nullptr && i < count; ++i) check_edge(data[i], i);
}

void require_existing_edges(const CUgraphEdgeData* data, std::size_t count) {
  const bool all = data == nullptr || std::all_of(data, data + count, is_plain);
  require(all, "there is no edge with such data");
}

void put_plain_edges(CUgraphEdgeData* places, std::size_t count) {
  if (places != nullptr) std::fill_n(places, count, CUgraphEdgeData{});
}

}  // namespace loci::cuda_double
