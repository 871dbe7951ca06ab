// A graph of the device's own, and what launches it: objects of a capturer.
#pragma once

#include <loci/abi/capture.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/device_graph/capturer.h"
#include "framework/device_graph/graph_items.h"

namespace loci::device_graph {

// That tells it from all others of the process, from 1 on. Thread-safe.
[[nodiscard]] std::uint64_t next_graph_number() noexcept;

// A graph that was recorded from a range of items.
class DeviceGraph {
 public:
  // Issues the items into a stream that records. Throws Error, and the stream is usable then.
  DeviceGraph(std::shared_ptr<Capturer> capturer, const GraphItems& items, std::size_t first,
              std::size_t last);
  ~DeviceGraph();
  DeviceGraph(const DeviceGraph&) = delete;
  DeviceGraph& operator=(const DeviceGraph&) = delete;

  [[nodiscard]] const std::shared_ptr<Capturer>& capturer() const { return capturer_; }
  [[nodiscard]] loci_graph* handle() const { return handle_; }
  [[nodiscard]] loci_graph_stats stats() const;
  // Lines, one for each node, as the capturer says them.
  [[nodiscard]] std::string dump() const;

 private:
  std::shared_ptr<Capturer> capturer_;
  loci_graph* handle_ = nullptr;
};

// The number of changes that were made to graphs because addresses that they use have changed.
struct Exchanges {
  std::uint64_t patches = 0;           // addresses in executables
  std::uint64_t recaptures = 0;        // of segments where the capturer could not do that
  std::uint64_t reinstantiations = 0;  // of those, where it could not take the new graph either
};

// Launches a graph of a range of items, by one thread at a time.
class Executable {
 public:
  // Throws Error.
  Executable(std::shared_ptr<Capturer> capturer, const GraphItems& items, std::size_t first,
             std::size_t last);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  [[nodiscard]] const DeviceGraph& graph() const { return *graph_; }
  // The range's work in stream order; the same as the items would enqueue. Throws Error.
  void launch(const loci_graph_launch& launch);
  // Follows the items, where addresses have changed. Throws Error.
  void follow(const GraphItems& items, Exchanges* done);

 private:
  [[nodiscard]] bool patch(const Address& now, Exchanges* done) const;
  void recapture(const GraphItems& items, Exchanges* done);
  [[nodiscard]] loci_graph_exec* instantiate(const DeviceGraph& graph) const;
  void destroy() noexcept;

  std::shared_ptr<Capturer> capturer_;
  const std::size_t first_;
  const std::size_t last_;
  std::unique_ptr<DeviceGraph> graph_;  // the latest that it was made of
  loci_graph_exec* handle_ = nullptr;
  std::vector<void*> addresses_;  // as the items give them
  bool is_behind_ = false;        // it failed to follow the items
};

}  // namespace loci::device_graph
