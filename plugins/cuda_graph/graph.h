// A graph as the host has it: loci/plugin/capturer.hpp.
#pragma once

#include <loci/plugin/capturer.hpp>
#include <memory>
#include <string>
#include <utility>

#include "exec.h"

namespace loci::cuda_graph {

class Graph {
 public:
  Graph(std::shared_ptr<const Driver> driver, std::shared_ptr<const Captured> captured)
      : driver_(std::move(driver)), captured_(std::move(captured)) {}

  void stats(loci_graph_stats& stats) const;
  [[nodiscard]] std::string dump() const;
  [[nodiscard]] std::unique_ptr<Exec> instantiate() const;
  [[nodiscard]] const std::shared_ptr<const Captured>& captured() const { return captured_; }

 private:
  std::shared_ptr<const Driver> driver_;
  std::shared_ptr<const Captured> captured_;
};

}  // namespace loci::cuda_graph
