// What is launched.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "captured.h"

namespace loci::cuda_graph {

class Graph;

class Exec {
 public:
  Exec(std::shared_ptr<const Driver> driver, std::shared_ptr<const Captured> captured);
  // What is queued of it runs.
  ~Exec() { (*driver_)->cuGraphExecDestroy(exec_); }
  Exec(const Exec&) = delete;
  Exec& operator=(const Exec&) = delete;

  void launch(const loci_graph_launch& launch);
  // Of a copy alone: which of a kernel's parameters an argument is, its node does not tell.
  void patch(std::uint64_t item, std::uint32_t argument, void* address);
  void update(const Graph& graph);

 private:
  [[nodiscard]] std::size_t copy_of(std::uint64_t item) const;
  [[nodiscard]] CUDA_MEMCPY3D parameters_of(std::size_t copy) const;

  std::shared_ptr<const Driver> driver_;
  std::shared_ptr<const Captured> origin_;  // by whose nodes the driver knows those of this
  std::shared_ptr<const Captured> latest_;  // what it does, but for patches
  std::shared_ptr<const std::vector<std::uint64_t>> items_;  // of its nodes, for profiles
  std::unordered_map<std::size_t, CUDA_MEMCPY3D> patched_;   // by node
  CUgraphExec exec_ = nullptr;
};

}  // namespace loci::cuda_graph
