// Programs whose extents depend on values run in stages.
//
// A plan's extents are static. Where an extent comes from a value (a shape tensor) or from the data
// (nonzero), the plan ends before the operators that hang on it, and the rest is compiled once the
// value is there: a plan of its own for each set of values, kept, so that a run which meets values
// it has seen before compiles nothing.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "framework/ops/infer_context.h"
#include "framework/program/program_impl.h"
#include "framework/runtime/plan.h"

namespace loci::runtime {

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

// What a stage leaves to the next one. Value ids are those of the plan that ended.
struct StageEnd {
  std::vector<const program::Operator*> operators;  // not yet lowered, in order
  std::vector<PlanFetch> fetches;                   // of what they compute
  std::vector<AwaitedValue> awaited;
  std::vector<VarState> vars;
  std::vector<ops::TensorType> types;
  // Bounded variables by the variable of their count.
  std::vector<std::pair<program::VarId, program::VarId>> bounded;
  // Values on the host that this stage was compiled for: the next one has them too.
  std::vector<std::pair<program::VarId, Tensor>> known;
};

// The rest of a plan, by values. Thread-safe.
class Continuation {
 public:
  explicit Continuation(StageEnd end) : end_(std::move(end)) {}

  [[nodiscard]] const StageEnd& end() const { return end_; }
  // The plan for the values that the frame holds; null if there is none yet.
  [[nodiscard]] std::shared_ptr<const Plan> find(const Plan& before, const Frame& frame) const;
  void insert(const Plan& before, const Frame& frame, std::shared_ptr<const Plan> plan);
  // What the frame holds for an awaited value, on the host.
  [[nodiscard]] static Tensor read(const Plan& before, const Frame& frame,
                                   const AwaitedValue& awaited);

 private:
  struct Entry {
    std::vector<std::byte> key;  // bytes of the values
    std::shared_ptr<const Plan> plan;
  };
  [[nodiscard]] bool matches(const Entry& entry, const Plan& before, const Frame& frame) const;

  StageEnd end_;
  mutable std::mutex mutex_;
  mutable std::vector<Entry> entries_;  // the latest used first
};

}  // namespace loci::runtime
