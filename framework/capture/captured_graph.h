// The result of a capture: a launch list with all that it needs, which a queue runs as one task.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/capture/dot_file.h"
#include "framework/capture/gradient_slots.h"
#include "framework/capture/graph_memory.h"
#include "framework/capture/history_changes.h"
#include "framework/capture/launch_list.h"
#include "framework/capture/native_graph.h"
#include "framework/capture/outside_tensors.h"
#include "framework/capture/program_run.h"
#include "framework/eager/batch.h"

namespace loci::capture {

// Written by the capture, then replayed by one thread at a time.
class CapturedGraph final : public eager::Batch {
 public:
  CapturedGraph(std::uint64_t number, device::Device& device, std::shared_ptr<GraphMemory> memory);
  ~CapturedGraph() override;

  const std::uint64_t number;
  device::Device& device;
  const std::shared_ptr<GraphMemory> memory;
  LaunchList list;
  NativeGraph native{number, list};  // which replays run, segment by segment
  OutsideTensors outside;
  std::vector<std::unique_ptr<ProgramRun>> runs;
  std::vector<std::shared_ptr<tensor::Storage>> outputs;  // there at the end of the capture
  std::vector<memory::Buffer> kept;                       // of kernels: their state
  std::vector<DotEdge> edges;
  HistoryChanges changes;
  GradientSlots gradients;
  Tensor random_state;     // that its random ops draw from; undefined without any
  std::int64_t draws = 0;  // of a replay
  std::uint64_t peak_bytes = 0;

  // The capture has ended: enters the memory that it writes.
  void seal(std::vector<Extent> written);
  // Before a replay, the first one after `earlier`: throws Error(kInvalidArgument) unless all is as
  // it was captured, or can be brought to that.
  void prepare_replay(std::uint64_t earlier);
  // Once no replay is under way and none will come: its outputs are nobody's but their users',
  // although a queue's worker may still have the graph for a moment.
  void retire() noexcept;
  // Without a replay since the capture: what the tape says of tensors that were to change is
  // undone.
  void give_up() noexcept {
    changes.undo();
    gradients.undo();
  }
  // Waits for replays that are under way, whatever becomes of them.
  void wait() noexcept;

  void enter_uses(const tensor::Ticket& ticket, InlineList<eager::Dependency, 4>* before,
                  eager::Sources* sources) override;
  [[nodiscard]] bool is_ready() const override;
  [[nodiscard]] bool is_small() const override;
  [[nodiscard]] std::shared_ptr<const eager::BatchParts> parts() const override {
    return list.parts();
  }
  [[nodiscard]] std::uint64_t correlations() const override { return list.size(); }
  void run(eager::Queue& queue, loci_stream* stream, std::uint64_t correlation) override {
    native.run(device, queue, stream, correlation);
  }
  void fail(const std::shared_ptr<device::Failure>& failure) override;
  [[nodiscard]] std::shared_ptr<device::Failure> failed_input() const override;
  void clear_failures() override;
  [[nodiscard]] std::string describe() const override;

 private:
  template <class Visit>
  void for_each_overwritten(const Visit& visit) const;
  void spoil_later_outputs() const;

  bool is_sealed_ = false;
};

}  // namespace loci::capture
