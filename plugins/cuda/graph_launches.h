// The launches of graphs whose records have not all come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "graph_trace.h"

namespace loci::cuda {

// The launches of graphs by the process, which is CUPTI's one client. Their external ids tell that
// they are launches of graphs: the host counts its own from 1.
class GraphLaunches {
 public:
  static GraphLaunches& instance();

  // NULL where CUPTI records nothing.
  [[nodiscard]] std::unique_ptr<TracedSpan> begin(const TracedLaunch& launch);

  [[nodiscard]] static bool is_id(std::uint64_t external) { return (external & kMark) != 0; }
  [[nodiscard]] std::optional<TracedLaunch> find(std::uint64_t id) const;
  // Returns true if a launch with loops or branches has begun since the last call.
  [[nodiscard]] bool take_had_bodies();
  void forget(std::uint64_t id);
  void forget_all();

 private:
  static constexpr std::uint64_t kMark = std::uint64_t{1} << 63;
  // Records of what is older than so many launches are lost.
  static constexpr std::size_t kMost = 65'536;

  mutable std::mutex mutex_;
  std::uint64_t last_ = 0;
  bool had_bodies_ = false;
  std::map<std::uint64_t, TracedLaunch> launches_;  // the latest
};

}  // namespace loci::cuda
