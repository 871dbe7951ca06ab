// The mutable memory and launch records of one run of a plan.
#pragma once

#include <loci/abi/kernels.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "framework/execution/arena_set.h"
#include "framework/execution/device_work.h"
#include "framework/execution/frame_capture.h"
#include "framework/execution/frame_cores.h"
#include "framework/execution/frame_memory.h"
#include "framework/execution/plan.h"
#include "framework/execution/scheduled_run.h"
#include "framework/execution/scope_binding.h"
#include "framework/execution/stage_scopes.h"
#include "framework/execution/variable_log.h"
#include "framework/memory/allocator.h"
#include "framework/tensor/scope_impl.h"

namespace loci::execution {

// Used by one run at a time. Holds every address that launches need, so that running touches no
// map, string or allocator.
class Frame {
 public:
  // Its arenas are its own, from `memory` if given, unless the plan shares them: it has none then.
  // Throws Error(kOutOfMemory).
  explicit Frame(const Plan& plan, FrameMemory* memory = nullptr);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  // For one run of a plan that shares arenas, with nothing at work in them at either end. Throws
  // Error(kOutOfMemory).
  void take_arenas(std::unique_ptr<ArenaSet> arenas);
  std::unique_ptr<ArenaSet> leave_arenas();

  // See ScopeBinding::bind().
  [[nodiscard]] bool bind_scope(tensor::ScopeImpl& scope) { return binding_.bind(scope); }

  [[nodiscard]] bool is_up_to_date(const tensor::ScopeImpl& scope) const {
    return binding_.is_up_to_date(scope);
  }
  // The scope's variables, in the order of the plan's; of a bound frame.
  [[nodiscard]] const Tensor& variable(std::size_t index) const { return binding_.variable(index); }
  // Somebody is about to do what the frame's launches do.
  void count_changes() { binding_.count_changes(); }
  // All that a launch needs but its stream and its correlation; for an instruction with a kernel.
  struct Launch {
    dispatch::PreparedKernel::LaunchFn function;
    const loci_prepared* prepared;
    loci_launch call;
  };
  [[nodiscard]] Launch launch_of(std::size_t instruction) const {
    const Record& record = records_[instruction];
    return {record.launch, record.prepared, record.call};
  }

  // Does what the instruction is; the first instruction has that correlation. Throws Error with the
  // operator, its arguments and its place.
  void launch(std::size_t instruction, std::uint64_t first_correlation);
  // Launches a kernel's instruction, on any thread; fail() throws what the error stands for.
  [[nodiscard]] loci_error* launch_kernel(std::size_t instruction,
                                          std::uint64_t first_correlation) noexcept {
    Record& record = records_[instruction];
    record.call.correlation = first_correlation + instruction;
    return record.launch(record.prepared, &record.call);
  }
  [[noreturn]] void fail(std::size_t instruction, const Error& error) const;

  // Returns true if one of the bytes belongs to one of those variables.
  [[nodiscard]] bool shares_persistables(const void* data, std::uint64_t bytes) const {
    return binding_.meets(data, bytes);
  }

  void bind(ValueId value, void* data) { views_[static_cast<std::size_t>(value)].data = data; }
  [[nodiscard]] void* data(ValueId value) const {
    return views_[static_cast<std::size_t>(value)].data;
  }

  [[nodiscard]] Space space(ValueId value) const { return value_of(plan_, value).space; }
  [[nodiscard]] const char* name(ValueId value) const { return value_of(plan_, value).name; }
  [[nodiscard]] std::uint64_t bytes(ValueId value) const { return value_of(plan_, value).bytes; }

  // Copies one value into another of the same bytes, behind what is enqueued; for a loop.
  void copy_within(ValueId from, ValueId to, const char* consumer);

  // Before the first launch of a run: what is enqueued from now on is the run's.
  void begin();
  // Waits for it, on all devices. Throws the first failure that one tells of; the persistable
  // variables that the run writes have failed then too, so that nobody reads a wrong value.
  void synchronize();

  // Launches everything in order, but for read_awaited(). Throws Error with the operator, its
  // arguments and its place.
  void run(StageScopes& scopes);
  // Copies to the host what the rest of the plan waits for, and waits for it; a schedule has that
  // in its run.
  void read_awaited(StageScopes& scopes);

 private:
  using LaunchFn = dispatch::PreparedKernel::LaunchFn;

  // An instruction's record. A kernel's has all that its launch needs.
  struct Record {
    LaunchFn launch = nullptr;  // null: it is no kernel
    const loci_prepared* prepared = nullptr;
    loci_launch call{};  // of a transfer: only its stream, null for the one of its device
    bool waits = true;   // of a transfer: the host, for its end
  };

  void launch_all(StageScopes& scopes);
  // launch(), within loops over instructions.
  void launch_next(std::size_t index, std::uint64_t first_correlation);
  // launch_next(), timed by events where a session wants that.
  void launch_timed(std::size_t index, std::uint64_t first_correlation);
  // With a line for the operator, and lines for variables that come and go.
  void launch_logged(std::size_t index, std::uint64_t first_correlation);
  [[nodiscard]] bool is_captured() const { return capture_ != nullptr && capture_->is_captured(); }
  void run_profiled(std::uint64_t first_correlation, StageScopes& scopes);
  // In the order and the streams of the plan's schedule.
  void run_scheduled(std::uint64_t first_correlation, StageScopes& scopes);
  void launch_scheduled(std::size_t index, std::uint64_t first_correlation);
  void launch_in_order(std::size_t index, std::uint64_t first_correlation);
  void allocate_state();
  void place_values(FrameMemory& memory);
  void set_addresses();
  void make_views();
  void make_records();
  void set_call(const Instruction& instruction, const LaunchStep& step, Record* record);
  const loci_view* argument(ValueId value, bool metadata_only);
  [[nodiscard]] char* arena_of(Space space, device::Device* pinned_for = nullptr) const;
  void make_scheduled();
  // Launches all and returns true if the plan is one for several threads, or somebody waits for the
  // times of its launches.
  bool run_on_cores(std::uint64_t first_correlation);
  // Runs an instruction that is no kernel.
  void run_step(std::size_t index);
  static void wait_for(const ControlStep& control);
  void copy(const TransferStep& step, const Record& record) const;

  const Plan& plan_;
  std::unique_ptr<ArenaSet> arenas_;  // null while it is idle, if they are shared
  std::vector<char*> begins_;         // of the plan's arenas, as addresses were last set
  memory::Buffer state_;
  std::vector<loci_view> views_;           // by value
  std::vector<loci_view> metadata_views_;  // without data
  std::vector<const loci_view*> arguments_;
  std::vector<Record> records_;  // by instruction
  ScopeBinding binding_;
  std::vector<std::unique_ptr<DeviceWork>> work_;  // by queued device
  std::unique_ptr<ScheduledRun> scheduled_;        // null without a schedule
  std::unique_ptr<VariableLog> variables_;         // null until variables are logged
  std::unique_ptr<FrameCapture> capture_;          // of a plan that captures; else null
  std::unique_ptr<FrameCores> cores_;              // of a plan with core_forks; else null
  bool has_run_ = false;
};

}  // namespace loci::execution
