#include "framework/planning/timeline.h"

#include <algorithm>
#include <utility>

namespace loci::planning {

void join(Clock* clock, const Clock& other) {
  if (clock->size() < other.size()) clock->resize(other.size());
  for (std::size_t track = 0; track < other.size(); ++track) {
    (*clock)[track] = std::max((*clock)[track], other[track]);
  }
}

Timeline Timeline::concurrent(std::size_t instructions) {
  Timeline timeline;
  timeline.moments_.resize(instructions);
  return timeline;
}

Clock Timeline::place(std::size_t instruction, std::size_t track, Clock known) {
  if (lengths_.size() <= track) lengths_.resize(track + 1);
  Moment& moment = moments_[instruction];
  moment.track = track;
  moment.time = ++lengths_[track];
  moment.known = known;
  if (known.size() <= track) known.resize(track + 1);
  known[track] = moment.time;
  return known;
}

}  // namespace loci::planning
