// Compiling a program into a plan.
#pragma once

#include <loci/executor.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "framework/dispatch/binding.h"
#include "framework/dispatch/kernel_cache.h"
#include "framework/execution/continuation.h"
#include "framework/execution/plan.h"
#include "framework/program/program_impl.h"
#include "framework/tensor/scope_impl.h"

namespace loci::planning {

class FallbackLog;
class RewrittenPrograms;

// The plan that ran before, and the values that its rest awaited.
struct EarlierStage {
  const execution::Plan* plan = nullptr;
  execution::KnownValues values;
  // The end that the plan left, by the variables of another program than its own; see
  // compact_stage(). Null: by those of its own.
  std::shared_ptr<const execution::StageEnd> moved = nullptr;

  [[nodiscard]] const execution::StageEnd& end() const {
    return moved ? *moved : plan->rest->end();
  }
};

// An argument of a block.
struct BlockArgument {
  ops::TensorType type;                   // static
  std::optional<execution::Space> space;  // nothing: where it is first used
  device::Device* persists_at = nullptr;  // of state: its home
};

// A block of a loop or a branch.
struct BlockRequest {
  const program::Block* block = nullptr;
  std::vector<BlockArgument> arguments;
  std::vector<execution::PlanResult> results;
};

// A kernel that takes an operator where it is asked to run.
struct BoundOperator {
  device::Device* device = nullptr;
  dispatch::Binding kernel;
  std::vector<std::vector<bool>> constants;  // by input: what it was asked for as constant
};
using BoundOperators = std::unordered_map<const program::Operator*, BoundOperator>;

struct PlanRequest {
  std::shared_ptr<const program::ProgramImpl> program;
  // Names, dtypes, static shapes and places of the feeds, in the caller's order.
  std::vector<execution::PlanFeed> feeds;
  std::vector<std::string> fetches;
  std::vector<Place> fetch_places = {};  // by fetch, as the caller says them; none: all on the host
  device::Device* device = nullptr;
  CompileOptions options;
  tensor::ScopeImpl* scope = nullptr;             // types of persistable variables
  std::shared_ptr<execution::PlanMemory> memory;  // in which the plan counts; null: it does not
  // Persistable variables that a run of the whole program may change, those fed included. Found for
  // a program, given for the rest of a plan and for a block.
  std::shared_ptr<const std::set<std::string>> changed = {};
  // In which what passes make of the program is kept; null: nowhere.
  RewrittenPrograms* rewritten = nullptr;
  // Who is told of fallbacks, once (dispatch::FallbackNotes): the program.
  std::uint64_t told = 0;
  // Set for a block: where what falls back is counted, for whoever compiles what it is in to tell.
  FallbackLog* fallbacks = nullptr;
  // For the rest of a plan; program, feeds and fetches are then those of its first stage.
  const EarlierStage* earlier = nullptr;
  // Instead of a program, feeds and fetches: a block of one.
  const BlockRequest* block = nullptr;
  // The times of the same plan, compiled before: it is for several threads, if that is faster by
  // them; none: it is measured, where that may be.
  std::vector<execution::LaunchTimes::Launch> launch_times = {};
  // Found by compile_plan(): by the name of an operator that stands for part of another one, why.
  const std::unordered_map<std::string, std::string>* decomposed = nullptr;
  // Likewise: operators that have their kernels already; null: none has.
  const BoundOperators* bound = nullptr;
  // Likewise, of a program that has been compiled for other sizes: types of its variables, by
  // index, if they are static; null: none is known.
  const std::vector<ops::TensorType>* types = nullptr;
  // Likewise: nobody has asked yet which operators have to be decomposed.
  bool expects_kernels = false;
};

// Throws Error as Executor::run says. Changes nothing but the cache.
std::shared_ptr<const execution::Plan> compile_plan(const PlanRequest& request,
                                                    dispatch::KernelCache* kernels);

}  // namespace loci::planning
