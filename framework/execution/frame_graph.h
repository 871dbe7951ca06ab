// The launches of a frame as graphs of their device's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "framework/device_graph/device_graph.h"
#include "framework/device_graph/graph_items.h"
#include "framework/execution/plan.h"
#include "framework/execution/staged_values.h"

namespace loci::execution {

class DeviceControl;
class Frame;

// A frame's memory stays, so that what a plan has in it is captured as it is. Addresses that a run
// binds (what is fed and fetched, variables of the scope, what an earlier stage has left) are
// compared with those that the graphs have, and exchanged where they are others: by patching, else
// by copies into memory that stays, and for variables by capturing again. So no graph ever reads
// what is not bound. Used by one run at a time, as its frame is, which outlives it; so does the
// plan.
class FrameGraph final : private device_graph::GraphItems {
 public:
  // Captures what can be: runs of at least two launches on a device with a capturer. The frame is
  // bound, and a run of it has been done. What fails is left to the host, with the reason.
  FrameGraph(const Plan& plan, Frame& frame);
  ~FrameGraph() override;
  FrameGraph(const FrameGraph&) = delete;
  FrameGraph& operator=(const FrameGraph&) = delete;

  // Instructions that follow each other; all parts together are the plan's, in order.
  struct Part {
    std::size_t first = 0;
    std::size_t last = 0;
    std::string reason;  // why the host launches them one by one; empty if the device does
    std::unique_ptr<device_graph::Executable> executable;
    std::unique_ptr<const StagedValues> staged;  // null where addresses are exchanged
    // Values of its instructions that runs bind, with the addresses that its graph has.
    std::vector<std::pair<ValueId, void*>> bound;
    [[nodiscard]] bool is_native() const { return executable != nullptr; }
  };
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  // That has the instruction.
  [[nodiscard]] const Part& part_of(std::size_t instruction) const {
    return parts_[part_of_[instruction]];
  }
  // The bytes of host memory and of staged values, about.
  [[nodiscard]] std::uint64_t bytes() const;
  // Any of them native.
  [[nodiscard]] bool is_native() const;

  // Once all is bound, before a run. Throws Error; nothing is launched then, and the next run
  // captures that part again.
  void follow();
  // A native part, in the default stream of its device; the work of instruction i has the
  // correlation of instruction 0 plus i. Throws Error.
  void launch(const Part& part, std::uint64_t first_correlation);
  // Counts a run.
  void begin_replay() { ++replay_; }

  // Why the capturer does not record loops and branches; empty where it has refused none.
  [[nodiscard]] const std::string& control_refusal() const { return control_refusal_; }

  // Since the last call.
  [[nodiscard]] device_graph::Exchanges take_exchanges() { return std::exchange(exchanges_, {}); }
  [[nodiscard]] std::uint64_t capture_ns() const { return capture_ns_; }

 private:
  [[nodiscard]] std::string type(std::size_t item) const override;
  void issue_captured(std::size_t item, const device::Device& device,
                      loci_stream* stream) const override;
  void issue_control(std::size_t item) const;
  [[nodiscard]] const std::vector<std::uint32_t>* dependencies(std::size_t item) const override;
  void visit_addresses(std::size_t first, std::size_t last,
                       const device_graph::AddressVisitor& visit) const override;
  void visit_values(std::size_t item, const device_graph::AddressVisitor& visit) const;

  [[nodiscard]] std::string refusal(std::size_t instruction) const;
  void capture_parts();
  void split();
  void capture(Part* part);
  void follow(Part* part);
  void stage(Part* part);
  void find_bound(Part* part) const;
  void note_bound(Part* part) const;

  const Plan& plan_;
  Frame& frame_;
  const std::uint64_t number_;
  std::uint64_t replay_ = 0;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> part_of_;  // by instruction
  // Loops and branches, by instruction.
  mutable std::unordered_map<std::size_t, std::unique_ptr<DeviceControl>> controls_;
  mutable std::string control_refusal_;  // of the capturer; empty: it has refused none
  device_graph::Exchanges exchanges_;
  std::uint64_t capture_ns_ = 0;
};

}  // namespace loci::execution
