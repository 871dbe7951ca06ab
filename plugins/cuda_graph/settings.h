// The settings that LOCI_CUDA_GRAPH_<KEY> set, see README.md.
#pragma once

#include <loci/plugin/plugin_object.hpp>
#include <string>

namespace loci::cuda_graph {

struct Settings {
  std::string dot;        // a directory; empty: nothing is drawn
  std::string cudadevrt;  // a file; empty: where toolkits have it; "0": none
};

// Throws Error(LOCI_CODE_INVALID_ARGUMENT) with the key, the value and what is allowed.
[[nodiscard]] Settings settings_of(const sdk::Options& options);

}  // namespace loci::cuda_graph
