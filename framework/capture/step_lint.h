// The reasons why a step of imperative code cannot be captured, found by a look at one that runs.
#pragma once

#include <functional>
#include <loci/inspect.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "framework/capture/graph_queues.h"
#include "framework/capture/outside_tensors.h"
#include "framework/capture/work_beside.h"
#include "framework/device/capture_rules.h"
#include "framework/eager/task_watcher.h"
#include "framework/execution/run_recorder.h"

namespace loci::capture {

// Looks at one step, on one thread. Everything runs as it does without.
class StepLint final : public eager::TaskWatcher,
                       public device::ActiveCapture,
                       public execution::RunRecorder {
 public:
  static constexpr std::size_t kMostProblems = 1'000;

  // For a graph of that device, which begins in that stream of it.
  StepLint(device::Device& device, std::shared_ptr<eager::Queue> origin);

  // Runs the step. What there is in it that a graph cannot have: each once, in the order in which
  // it came, kMostProblems at most. Throws what the step throws.
  std::vector<inspect::CaptureProblem> run(const std::function<void()>& step);

  void note_task(const eager::Task& task, const eager::Queue& queue) override;
  std::uint64_t note_record(const eager::Queue& queue) override;
  void note_wait(const std::shared_ptr<eager::Queue>& queue, const eager::Queue& of,
                 std::uint64_t number) override;

  [[nodiscard]] std::string name() const override { return "a step"; }
  void invalidate(const Error& /*reason*/) override {}
  void refuse(std::string_view action, bool is_copy) override;
  void note_read(const std::shared_ptr<const void>& storage, std::string_view read,
                 bool decides) override;

  [[nodiscard]] bool takes(const device::Device& /*device*/) const override { return false; }
  [[nodiscard]] bool record(const device::Device& device,
                            std::shared_ptr<const execution::Plan> plan,
                            const std::shared_ptr<tensor::ScopeImpl>& scope) override;
  void look_on(const execution::Plan& plan, device::Device& device, const Feed& feed,
               const std::vector<Fetch>& fetch, const std::function<void()>& run) override;

 private:
  class Watch;
  struct Made {
    std::weak_ptr<tensor::Storage> storage;  // another one may lie at its address since
    const char* by;                          // the op, or "copy"
  };
  using Storages = std::unordered_map<const void*, Made>;  // by address

  void add(std::string op, std::string reason, std::string remedy);
  void note_launch(const eager::Task& task);
  void note_beside(const eager::Task& task, const eager::Queue& queue);
  void note_elsewhere(const eager::Task& task, const eager::Queue& queue);
  void note_copy(const eager::Task& task, const eager::Queue& queue);
  void note_host_function(const eager::Task& task, const eager::Queue& queue);
  void note_outputs(const eager::Task& task, Storages* of);
  void note_host_reads();
  void note_forks();
  [[nodiscard]] std::string host_read_of(const eager::Task& task) const;
  [[nodiscard]] std::string record_refusal(const eager::Task& task) const;
  // "what [mean] computes"; "it" without.
  [[nodiscard]] static std::string what(const Made* made);
  // Null if it is not among them.
  [[nodiscard]] static const Made* find(const Storages& storages, const void* storage);

  device::Device& device_;
  bool has_capturer_ = false;
  GraphQueues queues_;                                      // those that a capture would have
  std::unordered_map<std::uint64_t, std::uint64_t> marks_;  // in these, by the events' numbers
  bool is_within_run_ = false;
  Storages computed_;  // by the device, in the step
  Storages told_;      // of work that is among the problems, and what reads it
  WorkBeside beside_;
  OutsideTensors read_on_host_;          // what the host has read, and the step has not computed
  std::weak_ptr<tensor::Storage> read_;  // the latest: one read asks several times
  std::vector<inspect::CaptureProblem> problems_;
  std::unordered_set<std::string> known_;
};

}  // namespace loci::capture
