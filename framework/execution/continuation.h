// Programs whose extents depend on values run in stages.
//
// A plan's extents are static. Where an extent comes from a value (a shape tensor) or from the data
// (nonzero), the plan ends before the operators that hang on it, and the rest is compiled once the
// value is there: a plan of its own for each set of values, kept, so that a run which meets values
// it has seen before compiles nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "framework/core/recent_map.h"
#include "framework/execution/plan.h"
#include "framework/ops/infer_context.h"
#include "framework/program/program_impl.h"

namespace loci::execution {

inline constexpr ValueId kNoValue = -1;

// Where a variable is while its block is lowered.
struct VarState {
  ValueId home = kNoValue;               // where it is defined or persists
  std::map<Space, ValueId> copies = {};  // other places that hold its current value
  const char* producer = "";             // operator, for the ledger
  device::Device* persists_at = nullptr;
};

// A variable whose value the rest waits for.
struct AwaitedValue {
  program::VarId var = program::kNoVar;
  ValueId value = kNoValue;  // in host memory
};

// Values on the host, by variable.
using KnownValues = std::vector<std::pair<program::VarId, Tensor>>;

// The state that a stage leaves to the next one. Value ids are those of the plan that ended.
struct StageEnd {
  std::vector<const program::Operator*> operators;  // not yet lowered, in order
  std::vector<PlanFetch> fetches;                   // of what they compute
  std::vector<AwaitedValue> awaited;
  std::vector<VarState> vars;
  std::vector<ops::TensorType> types;
  // Bounded variables by the variable of their count.
  std::vector<std::pair<program::VarId, program::VarId>> bounded;
  // Values on the host that this stage was compiled for: the next one has them too.
  KnownValues known;
  // Why the device cannot decide for those operators what a graph is to do, where it was asked to.
  std::map<const program::Operator*, std::string> refusals = {};
};

// Compiles what comes behind `before`, for the values that it awaited.
using CompileRest =
    std::function<std::shared_ptr<const Plan>(const Plan& before, const KnownValues& awaited)>;

// The rest of a plan, by values. Where the plans of an executor take more than they may (see
// PlanMemory), those that ran longest ago are dropped. Thread-safe.
class Continuation {
 public:
  Continuation(StageEnd end, CompileRest compile)
      : end_(std::move(end)), compile_(std::move(compile)) {}

  [[nodiscard]] const StageEnd& end() const { return end_; }
  // The plan for the values that the frame of a run holds: the one that is kept for them, else a
  // new one. Throws Error as compiling does.
  [[nodiscard]] std::shared_ptr<const Plan> next(const Plan& before, const Frame& frame);
  // Drops the idle frames of all plans that are kept.
  void drop_idle_frames();

 private:
  using Plans = core::RecentMap<std::shared_ptr<const Plan>>;

  // The bytes of the values that the frame holds.
  [[nodiscard]] std::string key_of(const Plan& before, const Frame& frame) const;
  [[nodiscard]] std::shared_ptr<const Plan> find(const std::string& key);
  void insert(std::string key, const std::shared_ptr<const Plan>& plan);

  StageEnd end_;
  CompileRest compile_;
  std::mutex mutex_;
  Plans plans_;
};

}  // namespace loci::execution
