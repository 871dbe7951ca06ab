// The capturer of the device, right but for the plugin's fault. See loci/plugin/capturer.hpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/plugin/capturer.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "node.h"
#include "tests/tools/conformance/faulty_plugin/task_queue.h"

namespace loci::faulty {

class CapturingDevice;
class CapturingStream;
class FaultyCapturerPlugin;

// The objects of a capturer have this in common.
struct CapturedDevice {
  const sdk::NativeHandles handles;
  const sdk::Host& host;

  [[nodiscard]] CapturingDevice& device() const;
  [[nodiscard]] CapturingStream& stream(loci_stream* stream) const;
};

using SharedNodes = std::shared_ptr<Nodes>;

class FaultyGraph;

class FaultyExec {
 public:
  FaultyExec(std::shared_ptr<const CapturedDevice> device, SharedNodes nodes)
      : device_(std::move(device)), nodes_(std::move(nodes)) {}
  ~FaultyExec();
  FaultyExec(const FaultyExec&) = delete;
  FaultyExec& operator=(const FaultyExec&) = delete;

  void launch(const loci_graph_launch& launch);
  void patch(std::uint64_t item, std::uint32_t argument, void* address);
  void update(const FaultyGraph& graph);

 private:
  void replace(SharedNodes nodes, bool also_queued);

  std::shared_ptr<const CapturedDevice> device_;
  std::mutex mutex_;
  SharedNodes nodes_;
  Mark latest_;
  CapturingStream* latest_stream_ = nullptr;
  int launches_ = 0;
  bool is_patched_ = false;
  std::shared_ptr<std::atomic<bool>> is_gone_ = std::make_shared<std::atomic<bool>>(false);
};

class FaultyGraph {
 public:
  FaultyGraph(std::shared_ptr<const CapturedDevice> device, Nodes nodes, loci_stream* stream)
      : device_(std::move(device)),
        nodes_(std::make_shared<Nodes>(std::move(nodes))),
        stream_(stream) {}
  ~FaultyGraph();
  FaultyGraph(const FaultyGraph&) = delete;
  FaultyGraph& operator=(const FaultyGraph&) = delete;

  void stats(loci_graph_stats& stats) const;
  [[nodiscard]] std::string dump() const;
  [[nodiscard]] std::unique_ptr<FaultyExec> instantiate() const;
  [[nodiscard]] const SharedNodes& nodes() const { return nodes_; }

 private:
  std::shared_ptr<const CapturedDevice> device_;
  SharedNodes nodes_;
  loci_stream* stream_;  // that recorded it
};

class FaultyCapturer {
 public:
  using Graph = FaultyGraph;
  using Exec = FaultyExec;

  FaultyCapturer(FaultyCapturerPlugin& plugin, std::uint32_t index,
                 const sdk::NativeHandles& handles);
  void begin(loci_stream* stream);
  void annotate(loci_stream* stream, std::string_view op, std::uint64_t item);
  void depend(loci_stream* stream, const std::uint64_t* items, std::uint64_t count);
  [[nodiscard]] std::unique_ptr<FaultyGraph> end(loci_stream* stream);
  void abort(loci_stream* stream);
  [[nodiscard]] std::uint32_t status(loci_stream* stream) const;
  void loop_begin(loci_stream* stream, loci_stream* body, const void* condition);
  void loop_end(loci_stream* stream);
  void branch_begin(loci_stream* stream, loci_stream* body, const void* condition);
  void branch_else(loci_stream* stream);
  void branch_end(loci_stream* stream);

 private:
  std::shared_ptr<const CapturedDevice> device_;
};

}  // namespace loci::faulty
