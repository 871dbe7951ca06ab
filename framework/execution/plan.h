// A program bound to devices, kernels and memory: what a run walks.
#pragma once

#include <array>
#include <atomic>
#include <loci/executor.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "framework/core/thread_shard.h"
#include "framework/dispatch/kernel.h"
#include "framework/execution/core_forks.h"
#include "framework/execution/graph_forks.h"
#include "framework/execution/launch_times.h"
#include "framework/execution/place_reason.h"
#include "framework/execution/plan_memory.h"
#include "framework/execution/schedule.h"
#include "framework/ops/infer_context.h"
#include "framework/profiler/enabled.h"
#include "framework/program/program_impl.h"
#include "framework/transfer/packing.h"
#include "framework/transfer/transfer.h"

namespace loci::execution {

class CaptureFacts;
class Continuation;
class Frame;
struct BranchStep;
struct ControlStep;
struct LoopStep;
struct ProfileScript;

// Where a value's bytes are in a run.
enum class StorageKind : std::uint8_t {
  kArena,     // at an offset of the frame's memory
  kScope,     // a persistable variable
  kFeed,      // bound to what the caller fed
  kFetch,     // a tensor made for the caller in each run
  kEarlier,   // of the plan that ran before this one
  kArgument,  // bound to memory of the plan around a block
  kPacked,    // of a persistable variable, in the layout of a kernel
  kReplica,   // of a persistable variable, at another place than its home
};

// Memory that instructions share: of a device with memory of its own, or the host's (null).
using Space = device::Device*;
// The space in which tensors of that device lie.
inline Space space_of(device::Device* device) {
  return device == nullptr || device->uses_host_memory() ? nullptr : device;
}
// Returns true if the work in that space is handed to a queue of the device's.
inline bool is_queued(Space space) { return space != nullptr && !space->is_inline(); }

using ValueId = std::int32_t;

// One value at one place.
struct PlanValue {
  const char* name = "";  // of the variable; interned
  ops::TensorType type;   // static
  std::uint64_t bytes = 0;
  Space space = nullptr;
  StorageKind storage = StorageKind::kArena;
  std::int32_t slot = 0;     // index among feeds or fetches
  std::uint64_t offset = 0;  // in the arena of its space
  // A queued device that reaches it in host memory without the host's help; null: none does.
  device::Device* pinned_for = nullptr;
  std::uint32_t layout = LOCI_LAYOUT_PLAIN;  // another one for kPacked, and for kArena
};

// Copies one value into another of the same type, elsewhere.
struct TransferStep {
  ValueId from = 0;
  ValueId to = 0;
  transfer::Labels labels;
};

// Launches a kernel.
struct LaunchStep {
  std::shared_ptr<const dispatch::PreparedKernel> kernel;
  std::vector<bool> metadata_only;     // by input
  std::vector<loci_alias> aliases;     // that the kernel permits
  std::uint64_t workspace_offset = 0;  // in the arena of the device's space
  std::uint64_t state_offset = 0;      // in the frame's state memory
};

// Run the plans of their blocks.
using LoopInstruction = std::shared_ptr<const LoopStep>;
using BranchInstruction = std::shared_ptr<const BranchStep>;

struct Instruction {
  std::variant<TransferStep, LaunchStep, LoopInstruction, BranchInstruction> step;
  device::Device* device = nullptr;  // of an operator; null for a transfer
  std::vector<ValueId> inputs;       // flat, as in the ABI; -1 for an absent one
  std::vector<ValueId> outputs;
  std::int32_t op = -1;  // index into Plan::operators; -1 for a transfer

  // Null where it is of another kind.
  [[nodiscard]] const TransferStep* transfer() const { return std::get_if<TransferStep>(&step); }
  [[nodiscard]] const LaunchStep* launch() const { return std::get_if<LaunchStep>(&step); }
  [[nodiscard]] LaunchStep* launch() { return std::get_if<LaunchStep>(&step); }
  [[nodiscard]] const LoopStep* loop() const {
    const auto* found = std::get_if<LoopInstruction>(&step);
    return found == nullptr ? nullptr : found->get();
  }
  [[nodiscard]] const BranchStep* branch() const {
    const auto* found = std::get_if<BranchInstruction>(&step);
    return found == nullptr ? nullptr : found->get();
  }
  // Either of these two.
  [[nodiscard]] const ControlStep* control() const;
  // Returns true if the input's data counts, not its type alone.
  [[nodiscard]] bool reads(std::size_t input) const {
    const LaunchStep* launched = launch();
    return inputs[input] >= 0 && (launched == nullptr || !launched->metadata_only[input]);
  }
};

// For reports, logs and error messages; not used while running.
struct PlanOperator {
  const program::Operator* op = nullptr;
  device::Device* device = nullptr;
  PlaceReason reason = PlaceReason::kDefault;
  // For kNoKernel and kDecomposed, why there is no kernel; else why the kernels before it refused.
  std::string detail;
  std::string kernel;
};

struct PlanFeed {
  std::string name;
  DType dtype = DType::kNone;
  Shape shape;
  Place place;
  ValueId value = -1;        // bound to the fed tensor; -1 if it goes into a persistable variable
  ValueId persistable = -1;  // copied into it
};

struct PlanFetch {
  std::string name;
  ValueId value = -1;
  std::size_t position = 0;   // in the caller's list
  Place place = {};           // where the caller wants it; of a block's result see PlanResult
  const char* producer = "";  // for the ledger
};

// A value of the plan that ran before.
struct PlanLiveIn {
  ValueId value = -1;
  ValueId earlier = -1;  // in that plan
};

// A result that a block of a loop or a branch gives.
struct PlanResult {
  const char* name = "";      // interned
  const char* producer = "";  // for the ledger
  ops::TensorType type;       // that it must have; of dtype kNone: any of one byte
  Space space = nullptr;      // where it goes
};

// A persistable variable that the plan reads or writes.
struct PlanPersistable {
  std::string name;
  ValueId value = -1;
  Place home;
  bool written_first = false;  // an initialiser makes it; otherwise it must be in the scope
  bool is_written = false;     // a run changes it, other than in a loop
  bool is_constant = false;    // no run of the program changes it, so it may have replicas
};

// A persistable variable that no run of the program changes, as kernels like it.
struct PlanPacked {
  std::size_t persistable = 0;  // an index
  ValueId value = -1;
  transfer::Packing packing;
};

// A persistable variable at a place where it is read, other than its home.
struct PlanReplica {
  std::size_t persistable = 0;  // an index
  ValueId value = -1;
  Place place;
  transfer::Labels labels;  // of a copy that comes because it has changed
};

struct Arena {
  Space space = nullptr;
  device::Device* pinned_for = nullptr;  // as of values
  std::uint64_t bytes = 0;
};

// Immutable once compiled, but for its pool of frames. Thread-safe.
class Plan {
 public:
  Plan();
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // A frame for one run; give it back unless the run failed.
  std::unique_ptr<Frame> acquire_frame() const;
  void release_frame(std::unique_ptr<Frame> frame) const;
  // Frees the frames that no run has, those of loops and of the rest too.
  void drop_idle_frames() const;
  // Once it is compiled: what it takes counts there from now on, and what its frames do.
  void count_in(std::shared_ptr<PlanMemory> memory);
  // The bytes that the plan takes itself, once it counts.
  [[nodiscard]] std::uint64_t bytes() const { return own_bytes_; }
  // Null if it does not count.
  [[nodiscard]] PlanMemory* memory() const { return memory_.get(); }
  // True if its frames have arenas only while they run, of a pool for all plans that count there.
  // False where addresses are captured, and in loops: their work may go on when a frame is idle.
  [[nodiscard]] bool shares_arenas() const;
  // How a profile shows a run; made when it is first asked for. `level` is not kOff.
  const ProfileScript& profile_script(profiler::Level level) const;
  // The scripts of a plan with core_forks, by CoreSegment::script; made like profile_script().
  const std::vector<ProfileScript>& core_scripts(profiler::Level level) const;

  std::shared_ptr<const program::ProgramImpl> program;
  bool shares_program = false;  // with plans for other sizes, of which another one counts it
  std::vector<PlanOperator> operators;
  std::vector<PlanValue> values;
  std::vector<Instruction> instructions;
  // The number of instructions at the end that read on the host the values that the rest waits for.
  std::size_t awaited_reads = 0;
  // Set for a plan whose frames capture what they launch, see FrameGraph; else null.
  std::unique_ptr<CaptureFacts> captures;
  // Set for such a plan, which has no schedule; null if its graphs are chains.
  std::unique_ptr<const GraphForks> forks;
  // Set for such a plan whose launches compute as they are called: what several threads do of them.
  // Null if one does all.
  std::unique_ptr<const CoreForks> core_forks;
  // Set for a plan that may be compiled again with such times; null once it has been.
  std::unique_ptr<LaunchTimes> launch_times;
  // Null if all run one after the other, as they are listed, in the default streams.
  std::unique_ptr<const Schedule> schedule;
  std::vector<PlanFeed> feeds;
  std::vector<PlanFetch> fetches;
  std::vector<std::string> fetch_names;  // all that the caller wants, of a first stage
  std::vector<Place> fetch_places;       // likewise, as the caller says them; none: all on the host
  std::vector<ValueId> arguments;        // of a block; -1 for one that it does not use
  std::vector<PlanResult> results;       // of a block, which are its fetches; also of its rest
  bool is_block = false;                 // of a loop or a branch, or the rest of one
  std::vector<PlanLiveIn> live_ins;
  std::vector<ValueId> live_outs;      // that the rest needs
  std::unique_ptr<Continuation> rest;  // null if this is all
  std::vector<PlanPersistable> persistables;
  std::vector<PlanPacked> packed;
  std::vector<PlanReplica> replicas;
  std::vector<std::string> written;  // persistable variables that a run changes, also in its loops
  std::vector<Arena> arenas;
  std::vector<device::Device*> queued_devices;  // to wait for at the end of a run
  std::uint64_t state_bytes = 0;
  std::uint64_t unshared_bytes = 0;
  std::uint64_t live_bytes = 0;

 private:
  // Two lines: processors fetch them in pairs.
  struct alignas(128) IdleFrame {
    std::atomic<Frame*> frame{nullptr};
  };

  using IdleFrames = std::array<IdleFrame, core::kShards>;

  std::unique_ptr<Frame> take_idle_frame() const;
  // Made when two frames are idle at the same time: most plans only ever have one.
  IdleFrames& by_shard() const;

  std::shared_ptr<PlanMemory> memory_;
  std::uint64_t own_bytes_ = 0;  // that count
  mutable std::atomic<Frame*> first_idle_{nullptr};
  // One for each shard of threads, so that those that run at the same time do not meet.
  mutable std::atomic<IdleFrames*> idle_{nullptr};
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Frame>> pool_;
  mutable std::array<std::once_flag, 2> script_once_;  // by level
  mutable std::array<std::unique_ptr<const ProfileScript>, 2> scripts_;
  mutable std::array<std::once_flag, 2> core_script_once_;
  mutable std::array<std::vector<ProfileScript>, 2> core_scripts_;
};

inline const PlanValue& value_of(const Plan& plan, ValueId id) {
  return plan.values[static_cast<std::size_t>(id)];
}

}  // namespace loci::execution
