// Graphs of one software accelerator, by its driver's functions.
#pragma once

#include <cstdint>
#include <loci/plugin/capturer.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "plugins/sim/graph_driver.h"
#include "plugins/sim_graph/faults.h"

namespace loci::sim_graph {

class SimGraphPlugin;

// The objects of one capturer have this in common; they may outlive it.
struct Driver {
  const sim::GraphDriver& functions;
  const sdk::NativeHandles handles;
  Faults& faults;

  [[nodiscard]] sim::Stream* stream(loci_stream* stream) const;
  // Throws Error with the driver's message.
  void check(std::int32_t code) const;
};

class Graph;

class Exec {
 public:
  Exec(std::shared_ptr<const Driver> driver, sim::DriverExec* exec)
      : driver_(std::move(driver)), exec_(exec) {}
  ~Exec() { driver_->functions.destroy_exec(exec_); }
  Exec(const Exec&) = delete;
  Exec& operator=(const Exec&) = delete;

  void launch(const loci_graph_launch& launch);
  void patch(std::uint64_t item, std::uint32_t argument, void* address);
  void update(const Graph& graph);

 private:
  std::shared_ptr<const Driver> driver_;
  sim::DriverExec* exec_;
};

class Graph {
 public:
  Graph(std::shared_ptr<const Driver> driver, sim::DriverGraph* graph)
      : driver_(std::move(driver)), graph_(graph) {}
  ~Graph() { driver_->functions.destroy_graph(graph_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void stats(loci_graph_stats& stats) const;
  // "0 matmul, item 3": a line for each task, with ", behind 0 and 1" where it waits for others
  // than the one before it.
  [[nodiscard]] std::string dump() const;
  [[nodiscard]] std::unique_ptr<Exec> instantiate() const;
  [[nodiscard]] const sim::DriverGraph* handle() const { return graph_; }

 private:
  std::shared_ptr<const Driver> driver_;
  sim::DriverGraph* graph_;
};

// See loci/plugin/capturer.hpp.
class Capturer {
 public:
  using Graph = sim_graph::Graph;
  using Exec = sim_graph::Exec;

  // Throws Error(LOCI_CODE_UNSUPPORTED) for a device that offers no graphs.
  Capturer(SimGraphPlugin& plugin, std::uint32_t index, const sdk::NativeHandles& handles);

  void begin(loci_stream* stream);
  void annotate(loci_stream* stream, std::string_view op, std::uint64_t item);
  void depend(loci_stream* stream, const std::uint64_t* items, std::uint64_t count);
  [[nodiscard]] std::unique_ptr<Graph> end(loci_stream* stream);
  void abort(loci_stream* stream);
  [[nodiscard]] std::uint32_t status(loci_stream* stream) const;

 private:
  std::shared_ptr<const Driver> driver_;
};

}  // namespace loci::sim_graph
