// An executable graph, which is launched.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "captured.h"
#include "patches.h"

namespace loci::cuda_graph {

class Graph;

class Exec {
 public:
  Exec(std::shared_ptr<const Driver> driver, std::shared_ptr<const Captured> captured);
  // Launches that are queued still run.
  ~Exec() { (*driver_)->cuGraphExecDestroy(exec_); }
  Exec(const Exec&) = delete;
  Exec& operator=(const Exec&) = delete;

  void launch(const loci_graph_launch& launch);
  // Given to the driver by the next launch.
  void patch(std::uint64_t item, std::uint32_t argument, void* address);
  void update(const Graph& graph);

 private:
  std::shared_ptr<const Driver> driver_;
  std::shared_ptr<const Captured> origin_;  // by whose nodes the driver knows those of this
  std::shared_ptr<const Captured> latest_;  // what it does, but for patches
  std::shared_ptr<const std::vector<std::uint64_t>> items_;  // of its nodes, for profiles
  Patches patches_;
  CUgraphExec exec_ = nullptr;
};

}  // namespace loci::cuda_graph
