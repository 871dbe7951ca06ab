// The outcome of a plan's captures, for reports.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "framework/execution/core_counts.h"
#include "framework/execution/frame_graph.h"

namespace loci::execution {

// Collects what all frames of the plan report. Thread-safe.
class CaptureFacts {
 public:
  struct Part {
    std::size_t first = 0;  // instructions [first, last)
    std::size_t last = 0;
    std::string reason;  // why the host launches them; empty if the device does
  };
  struct Counts {
    std::uint64_t captures = 0;    // by frames
    std::uint64_t replays = 0;     // runs of such frames
    std::uint64_t capture_ns = 0;  // of the latest
    std::uint64_t bytes = 0;       // of all frames' graphs that are there now
    device_graph::Exchanges exchanges = {};
  };

  // For who refuses what cannot be captured: whether this call is the first.
  [[nodiscard]] bool is_first_run() noexcept { return !has_run_.exchange(true); }
  bool is_required = false;                // that all is captured
  std::atomic<bool> is_capturable{false};  // set by who has found out

  // Why a device does not decide about loops and branches, which shows only when they are recorded.
  void note_control_refusal(const std::string& reason);
  // Throws Error(kUnsupported) once there is such a reason.
  void require_control() const;

  // True for the first.
  bool note_capture(const FrameGraph& graph);
  // A graph takes so many instead of that many.
  void note_bytes(std::uint64_t before, std::uint64_t now) noexcept { bytes_ += now - before; }
  void note_replay(const device_graph::Exchanges& exchanges) noexcept;

  CoreCounts cores;  // of a plan with core_forks

  // The parts of the latest capture; empty before the first.
  [[nodiscard]] std::vector<Part> parts() const;
  [[nodiscard]] Counts counts() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Part> parts_;
  std::string control_refusal_;
  std::uint64_t captures_ = 0;
  std::uint64_t capture_ns_ = 0;
  std::atomic<bool> has_run_{false};
  std::atomic<std::uint64_t> replays_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> patches_{0};
  std::atomic<std::uint64_t> recaptures_{0};
  std::atomic<std::uint64_t> reinstantiations_{0};
};

}  // namespace loci::execution
