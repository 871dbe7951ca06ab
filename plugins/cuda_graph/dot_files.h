// Graphs as the driver draws them, for who asks for it: LOCI_CUDA_GRAPH_DOT, see README.md.
#pragma once

#include <atomic>
#include <loci/plugin/plugin_object.hpp>
#include <string>

#include "captured.h"

namespace loci::cuda_graph {

// Thread-safe.
class DotFiles {
 public:
  // Throws Error(LOCI_CODE_INVALID_ARGUMENT) with the key, the value and what is allowed.
  explicit DotFiles(const sdk::Options& options);

  // Into DIRECTORY/cuda-graph-<n>.dot, counted from 1; nothing where no directory is set.
  void write(const Driver& driver, const Captured& captured);

 private:
  std::string directory_;
  std::atomic<unsigned> count_{0};
};

}  // namespace loci::cuda_graph
