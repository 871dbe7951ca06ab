// Which work is known to have happened: for each stream, how far.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace loci::sim {

// Streams are numbered from 0 over all devices of the plugin.
class VectorClock {
 public:
  [[nodiscard]] std::uint64_t of(std::size_t stream) const {
    return stream < times_.size() ? times_[stream] : 0;
  }
  void advance(std::size_t stream) {
    if (times_.size() <= stream) times_.resize(stream + 1);
    ++times_[stream];
  }
  // Knows afterwards what either knew.
  void join(const VectorClock& other) {
    if (times_.size() < other.times_.size()) times_.resize(other.times_.size());
    for (std::size_t i = 0; i < other.times_.size(); ++i) {
      times_[i] = std::max(times_[i], other.times_[i]);
    }
  }

 private:
  std::vector<std::uint64_t> times_;
};

}  // namespace loci::sim
