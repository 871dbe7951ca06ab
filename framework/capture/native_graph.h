// A launch list as the device's own graphs, as far as the device can record it.
#pragma once

#include <cstdint>
#include <loci/graph.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/capture/graph_cores.h"
#include "framework/capture/launch_list.h"
#include "framework/device_graph/device_graph.h"
#include "framework/eager/queue.h"

namespace loci::capture {

// Segments, in the order of the list: each is a device graph, or what the list itself does.
class NativeGraph {
 public:
  // `number` is the graph's, for profiles. The list outlives this.
  NativeGraph(std::uint64_t number, LaunchList& list) : number_(number), list_(list) {}

  // Once the list is complete. Where the capturer fails, or there is none, segments stay with the
  // list. Throws Error(kUnsupported) with the item where a segment could be no graph and the graph
  // may not be split.
  void lower(device::Device& device, GraphSplitting splitting);
  // Once it is lowered: where the host launches all of it, threads may share that.
  void share(std::vector<GraphTemporary> temporaries, GraphMemory& memory,
             std::uint64_t most_bytes);
  // Addresses in the list may have changed, and no replay is under way. Throws Error, and is behind
  // then until it has followed.
  void follow();
  [[nodiscard]] bool is_behind() const { return is_behind_; }
  // A replay: all of it into the stream of the queue, the first item with that correlation. Throws
  // Error.
  void run(const device::Device& device, eager::Queue& queue, loci_stream* stream,
           std::uint64_t correlation);

  [[nodiscard]] std::vector<GraphSegment> segments() const;
  [[nodiscard]] const device_graph::Exchanges& exchanges() const { return exchanges_; }
  // "segment 0: 12 items by the device's graph\n" and the lines of that; all segments.
  [[nodiscard]] std::string dump() const;

 private:
  // Items [first, last) of the list.
  struct Segment {
    std::size_t first = 0;
    std::size_t last = 0;
    std::string reason;  // why it is the list's
    std::unique_ptr<device_graph::Executable> executable;
  };

  void split();
  void refuse_split(const device::Device& device) const;
  void capture(const std::shared_ptr<device_graph::Capturer>& capturer, Segment* segment) const;
  // With what threads share of it.
  [[nodiscard]] std::string reason_of(const Segment& segment) const;

  const std::uint64_t number_;
  LaunchList& list_;
  std::vector<Segment> segments_;
  bool is_native_ = false;  // any of them
  std::unique_ptr<GraphCores> cores_;
  bool is_behind_ = false;
  std::uint64_t replay_ = 0;
  device_graph::Exchanges exchanges_;
};

}  // namespace loci::capture
