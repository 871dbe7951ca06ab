// Graphs as the driver draws them, for who asks for it: LOCI_CUDA_GRAPH_DOT, see README.md.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "captured.h"

namespace loci::cuda_graph {

// Thread-safe.
class DotFiles {
 public:
  explicit DotFiles(std::string directory) : directory_(std::move(directory)) {}

  // Into DIRECTORY/cuda-graph-<n>.dot, counted from 1; nothing where the directory is empty.
  void write(const Driver& driver, const Captured& captured);

 private:
  const std::string directory_;
  std::atomic<unsigned> count_{0};
};

}  // namespace loci::cuda_graph
