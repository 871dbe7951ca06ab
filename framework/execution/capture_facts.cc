#include "framework/execution/capture_facts.h"

#include "framework/core/raise.h"

namespace loci::execution {

void CaptureFacts::note_control_refusal(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  control_refusal_ = reason;
  is_capturable = false;
}

void CaptureFacts::require_control() const {
  const std::lock_guard lock(mutex_);
  if (control_refusal_.empty()) return;
  core::raise(ErrorCode::kUnsupported,
              "[executor] loops and branches cannot be captured: {}; or let the host decide about "
              "them between graphs (GraphCapture::kAuto)",
              control_refusal_);
}

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

}  // namespace loci::execution
