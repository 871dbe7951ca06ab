// How a frame of a plan that captures comes to its graph: a plain run, a capture, replays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "framework/execution/frame_graph.h"
#include "framework/execution/plan.h"
#include "framework/execution/profile_script.h"

namespace loci::execution {

class Frame;

// Captures one frame, which outlives it, as the plan does. Counts in the plan's facts and memory
// what the graph takes. Used by one run at a time.
class FrameCapture {
 public:
  FrameCapture(const Plan& plan, Frame& frame) : plan_(plan), frame_(frame) {}
  ~FrameCapture();
  FrameCapture(const FrameCapture&) = delete;
  FrameCapture& operator=(const FrameCapture&) = delete;

  // Before the launches of a run, once all is bound. Throws Error where the graph cannot follow
  // what is bound; nothing is launched then.
  void prepare();
  // True if the run has a graph.
  [[nodiscard]] bool is_captured() const { return graph_ != nullptr; }
  // In a run that has one: returns true if the device does that instruction as part of its graph,
  // which is launched with the first of it. Throws Error with the first of its operators.
  bool replay(std::size_t instruction, std::uint64_t first_correlation);
  // Replays ahead of a scope of a profile that begins with this step, so that the graph's launch is
  // no part of the operator that it begins with.
  void replay_ahead(const ProfileStep* step, std::uint64_t first_correlation);

 private:
  enum class State : std::uint8_t { kCold, kWarm, kCaptured, kPlain };

  void capture();
  void log_reasons() const;
  void count_bytes();
  void launch(const FrameGraph::Part& part, std::uint64_t first_correlation);

  const Plan& plan_;
  Frame& frame_;
  State state_ = State::kCold;
  std::unique_ptr<FrameGraph> graph_;           // of kCaptured
  std::uint64_t bytes_ = 0;                     // that are counted
  const FrameGraph::Part* launched_ = nullptr;  // the latest of this run
};

}  // namespace loci::execution
