// Loops that a device goes through by itself, as parts of its graphs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/device_graph/capturer.h"
#include "framework/run/loop.h"
#include "framework/run/plan_run.h"

namespace loci::runtime {

// Why the host has to go through the loop; empty if a graph of the device can: its blocks launch
// kernels of that device alone, which leave the condition there, and use nothing that runs bind.
// `index` is that of a loop of the plan.
[[nodiscard]] std::string device_loop_refusal(const Plan& plan, std::size_t index);

// A loop without such a refusal, with frames of its blocks for as long as it lives. The plan that
// it is in outlives it.
class DeviceLoop {
 public:
  explicit DeviceLoop(const LoopStep& step);

  // Issues it into the stream of the capturer, which records, on the memory of `frame`. Throws
  // Error, with kUnsupported where the capturer records no loops.
  void issue_captured(const Frame& frame, device_graph::Capturer& capturer);

 private:
  struct Copy {
    const void* from;
    void* to;
    std::uint64_t bytes;
  };

  void bind(const Frame& frame);
  void issue(PlanRun& block, loci_stream* stream) const;
  static void issue(const Copy& copy, device_graph::Capturer& capturer, loci_stream* stream);

  const LoopStep& step_;
  PlanRun condition_;
  PlanRun body_;
  std::vector<Copy> before_;  // what the loop begins with
  std::vector<Copy> given_;   // results of the body that are computed elsewhere
  std::vector<Copy> next_;    // results of an iteration, for the next one
};

}  // namespace loci::runtime
