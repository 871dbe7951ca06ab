#include "framework/runtime/timeline.h"

#include <algorithm>
#include <utility>

namespace loci::runtime {

void join(Clock* clock, const Clock& other) {
  if (clock->size() < other.size()) clock->resize(other.size());
  for (std::size_t lane = 0; lane < other.size(); ++lane) {
    (*clock)[lane] = std::max((*clock)[lane], other[lane]);
  }
}

Timeline Timeline::concurrent(std::size_t instructions) {
  Timeline timeline;
  timeline.moments_.resize(instructions);
  return timeline;
}

Clock Timeline::place(std::size_t instruction, std::size_t lane, Clock known) {
  if (lengths_.size() <= lane) lengths_.resize(lane + 1);
  Moment& moment = moments_[instruction];
  moment.lane = lane;
  moment.time = ++lengths_[lane];
  moment.known = known;
  if (known.size() <= lane) known.resize(lane + 1);
  known[lane] = moment.time;
  return known;
}

}  // namespace loci::runtime
