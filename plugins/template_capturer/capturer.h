// Graphs of one device, by what its backend calls its own objects.
// loci/abi/capture.h has the rules, loci/plugin/capturer.hpp the form of these classes.
#pragma once

#include <cstdint>
#include <loci/plugin/capturer.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "graphs.h"

namespace sample_plugin {

class SampleGraphPlugin;

// The objects of one capturer have this in common; they may outlive it.
struct Driver {
  const GraphFunctions& functions;
  const loci::sdk::NativeHandles handles;

  [[nodiscard]] GraphStream* stream(loci_stream* stream) const;
};

class CapturedGraph;

class CapturedExec {
 public:
  CapturedExec(std::shared_ptr<const Driver> driver, Executable* handle)
      : driver_(std::move(driver)), handle_(handle) {}
  ~CapturedExec() { driver_->functions.destroy_executable(handle_); }
  CapturedExec(const CapturedExec&) = delete;
  CapturedExec& operator=(const CapturedExec&) = delete;

  void launch(const loci_graph_launch& launch);
  void patch(std::uint64_t item, std::uint32_t argument, void* address);
  void update(const CapturedGraph& graph);

 private:
  std::shared_ptr<const Driver> driver_;
  Executable* handle_;
};

class CapturedGraph {
 public:
  CapturedGraph(std::shared_ptr<const Driver> driver, Graph* handle)
      : driver_(std::move(driver)), handle_(handle) {}
  ~CapturedGraph() { driver_->functions.destroy_graph(handle_); }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  void stats(loci_graph_stats& stats) const;
  [[nodiscard]] std::string dump() const;
  [[nodiscard]] std::unique_ptr<CapturedExec> instantiate() const;
  [[nodiscard]] const Graph* handle() const { return handle_; }

 private:
  std::shared_ptr<const Driver> driver_;
  Graph* handle_;
};

class SampleCapturer {
 public:
  using Graph = CapturedGraph;
  using Exec = CapturedExec;

  // Declines a device whose backend offers no graphs.
  SampleCapturer(SampleGraphPlugin&, std::uint32_t index, const loci::sdk::NativeHandles& handles);

  void begin(loci_stream* stream);
  void annotate(loci_stream* stream, std::string_view op, std::uint64_t item);
  [[nodiscard]] std::unique_ptr<CapturedGraph> end(loci_stream* stream);
  void abort(loci_stream* stream);
  [[nodiscard]] std::uint32_t status(loci_stream* stream) const;

 private:
  std::shared_ptr<const Driver> driver_;
};

}  // namespace sample_plugin
