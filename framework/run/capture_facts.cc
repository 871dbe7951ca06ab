#include "framework/run/capture_facts.h"

namespace loci::runtime {

bool CaptureFacts::note_capture(const FrameGraph& graph) {
  const std::lock_guard lock(mutex_);
  parts_.clear();
  for (const FrameGraph::Part& part : graph.parts()) {
    parts_.push_back({part.first, part.last, part.reason});
  }
  capture_ns_ = graph.capture_ns();
  return ++captures_ == 1;
}

void CaptureFacts::note_replay(const device_graph::Exchanges& exchanges) noexcept {
  ++replays_;
  if (exchanges.patches != 0) patches_ += exchanges.patches;
  if (exchanges.recaptures == 0) return;
  recaptures_ += exchanges.recaptures;
  reinstantiations_ += exchanges.reinstantiations;
}

std::vector<CaptureFacts::Part> CaptureFacts::parts() const {
  const std::lock_guard lock(mutex_);
  return parts_;
}

CaptureFacts::Counts CaptureFacts::counts() const {
  const std::lock_guard lock(mutex_);
  return {captures_,
          replays_.load(),
          capture_ns_,
          bytes_.load(),
          {patches_.load(), recaptures_.load(), reinstantiations_.load()}};
}

}  // namespace loci::runtime
