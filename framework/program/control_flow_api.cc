#include <algorithm>
#include <loci/control_flow.hpp>
#include <set>

#include "framework/core/raise.h"
#include "framework/program/block_builder.h"
#include "framework/program/builder.h"
#include "framework/program/control_flow.h"
#include "framework/program/scan.h"

namespace loci {
inline namespace v0 {
namespace {

using program::BlockBuilder;
using program::BlockSet;
using program::VarId;

// An operator with blocks while it is put together.
class ControlFlow {
 public:
  // `given` are its variables; at least one. Of a loop, the last of `loop_blocks` is the body.
  ControlFlow(std::string type, const std::vector<Variable>& given, std::size_t loop_blocks = 0) {
    spec_.type = std::move(type);
    spec_.guard = program::current_guard();
    BlockBuilder* around = BlockBuilder::active();
    target_ = around != nullptr ? around->program() : program_of(given);
    draws_.offset = target_->next_random_offset();
    draws_.counts = loop_blocks > 0;
    blocks_ = std::make_unique<BlockSet>(target_, draws_, loop_blocks);
  }
  // An operator that was refused draws nothing.
  ~ControlFlow() {
    if (!is_appended_) target_->set_random_offset(draws_.offset);
  }
  ControlFlow(const ControlFlow&) = delete;
  ControlFlow& operator=(const ControlFlow&) = delete;

  std::vector<VarId> input(const char* slot, const std::vector<Variable>& variables) {
    BlockBuilder* around = BlockBuilder::active();
    std::vector<VarId> ids;
    for (const Variable& variable : variables) {
      ids.push_back(around != nullptr ? around->local(variable) : variable.id());
    }
    spec_.inputs.push_back({slot, ids});
    return ids;
  }
  void attr(const char* name, Attribute value) { spec_.attributes[name] = std::move(value); }

  void branch(const ListBranch<Variable>& function) {
    if (!function) {
      core::raise(ErrorCode::kInvalidArgument, "[{}] a branch has no function; give one",
                  spec_.type);
    }
    blocks_->add(std::vector<VarId>(), /*copies_state=*/true,
                 [&](const auto&) { return function(); });
  }
  void loop_block(const std::vector<VarId>& values, const BlockSet::Fill& fill) {
    blocks_->add(values, /*copies_state=*/false, fill);
  }
  // A block that takes the values and slices of the stacked inputs.
  void scan_block(const std::vector<VarId>& values, const std::vector<VarId>& stacked,
                  const BlockSet::Fill& fill) {
    std::vector<program::VarDesc> arguments;
    for (const VarId id : values) arguments.push_back(target_->main().var(id));
    for (const VarId id : stacked) {
      program::VarDesc& slice = arguments.emplace_back(target_->main().var(id));
      if (slice.type.shape.rank() == 0) {
        core::raise(ErrorCode::kInvalidArgument,
                    "[scan] '{}' has no dimension to take slices of; give one whose first is the "
                    "steps",
                    slice.name);
      }
      slice.type = program::slice_type(slice.type);
    }
    blocks_->add(arguments, values.size(), /*copies_state=*/false, fill);
  }

  // The outputs that blocks return, by slot.
  std::vector<std::vector<Variable>> append() {
    spec_.blocks = blocks_->take();
    spec_.inputs.push_back({"captures", blocks_->captures()});
    const bool is_counted = blocks_->takes_iteration();
    if (is_counted) add_iteration();
    (void)program::append_operator(*target_, spec_);
    is_appended_ = true;
    const program::Operator& op = target_->main().ops.back();
    std::vector<std::vector<Variable>> outputs;
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      outputs.emplace_back();
      for (const VarId id : op.outputs[slot]) outputs.back().emplace_back(target_, id);
    }
    if (is_counted) outputs.front().pop_back();
    return outputs;
  }

 private:
  [[nodiscard]] std::shared_ptr<program::ProgramImpl> program_of(
      const std::vector<Variable>& given) const {
    const auto& first = given.front();
    (void)first.name();  // refuses an undefined one
    for (const Variable& variable : given) {
      if (!variable.name().empty() && variable.program() == first.program()) continue;
      core::raise(ErrorCode::kInvalidArgument,
                  "[{}] '{}' and '{}' belong to different programs; build with variables of one",
                  spec_.type, first.name(), variable.name());
    }
    if (!first.program()->is_block()) return first.program();
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] '{}' belongs to a branch of control flow that is complete; return it from "
                "that branch",
                spec_.type, first.name());
  }

  // The last of the values.
  void add_iteration() {
    program::OperatorSpec zero;
    zero.type = "fill_constant";
    zero.attributes = {{"shape", std::vector<std::int64_t>{1}}, {"value", 0.0}, {"dtype", kInt64}};
    zero.guard = spec_.guard;
    const VarId id = program::append_operator(*target_, zero).front();
    target_->main().var(id).stop_gradient = true;
    for (auto& slot : spec_.inputs) {
      if (slot.name == "values") slot.vars.push_back(id);
    }
  }

  program::OperatorSpec spec_;
  std::shared_ptr<program::ProgramImpl> target_;
  program::BlockDraws draws_;
  std::unique_ptr<BlockSet> blocks_;
  bool is_appended_ = false;
};

void require_some(const char* op, bool some) {
  if (some) return;
  core::raise(ErrorCode::kInvalidArgument, "[{}] has no branches; give at least one", op);
}

void check_keys(const std::vector<std::int64_t>& keys) {
  std::set<std::int64_t> seen;
  for (const std::int64_t key : keys) {
    if (seen.insert(key).second) continue;
    core::raise(ErrorCode::kInvalidArgument,
                "[switch_case] the key {} occurs twice; give each branch a key of its own", key);
  }
}

// The last branch is the default where none is given.
std::vector<Variable> run_case(std::vector<Variable> predicates,
                               std::vector<ListBranch<Variable>> branches,
                               const ListBranch<Variable>& default_branch) {
  require_some("case", !branches.empty());
  if (default_branch) {
    branches.push_back(default_branch);
  } else {
    predicates.pop_back();
  }
  return emit_case(predicates, branches);
}

// A predicate is checked before the functions run, which may be long.
void check_predicate(const char* op, const Variable& predicate) {
  const Shape& shape = predicate.shape();
  if (predicate.dtype() == kBool && (!shape.is_static() || shape.numel() == 1)) return;
  core::raise(ErrorCode::kInvalidArgument, "[{}] predicate '{}' is {}{}; give one element of bool",
              op, predicate.name(), dtype_name(predicate.dtype()), shape.to_string());
}

}  // namespace

std::vector<Variable> emit_case(const std::vector<Variable>& predicates,
                                const std::vector<ListBranch<Variable>>& branches) {
  require_some("case", !branches.empty());
  for (const Variable& predicate : predicates) check_predicate("case", predicate);
  if (predicates.empty()) return branches.back()();
  ControlFlow op("case", predicates);
  op.input("preds", predicates);
  for (const ListBranch<Variable>& branch : branches) op.branch(branch);
  return op.append().front();
}

Variable case_of(const std::vector<std::pair<Variable, Branch<Variable>>>& branches,
                 const Branch<Variable>& default_branch) {
  std::vector<Variable> predicates;
  std::vector<ListBranch<Variable>> lists;
  for (const auto& [predicate, branch] : branches) {
    predicates.push_back(predicate);
    lists.push_back(branch.list());
  }
  return run_case(std::move(predicates), std::move(lists), default_branch.list()).front();
}

std::vector<Variable> case_lists_of(
    const std::vector<std::pair<Variable, ListBranch<Variable>>>& branches,
    const ListBranch<Variable>& default_branch) {
  std::vector<Variable> predicates;
  std::vector<ListBranch<Variable>> lists;
  for (const auto& [predicate, branch] : branches) {
    predicates.push_back(predicate);
    lists.push_back(branch);
  }
  return run_case(std::move(predicates), std::move(lists), default_branch);
}

std::vector<Variable> emit_switch_case(const Variable& index, const std::vector<std::int64_t>& keys,
                                       const std::vector<ListBranch<Variable>>& branches) {
  require_some("switch_case", !branches.empty());
  check_keys(keys);
  ControlFlow op("switch_case", {index});
  op.input("index", {index});
  op.attr("keys", keys);
  for (const ListBranch<Variable>& branch : branches) op.branch(branch);
  return op.append().front();
}

Variable switch_case(const Variable& index,
                     const std::vector<std::pair<std::int64_t, Branch<Variable>>>& branches,
                     const Branch<Variable>& default_branch) {
  require_some("switch_case", !branches.empty());
  std::vector<std::int64_t> keys;
  std::vector<ListBranch<Variable>> lists;
  for (const auto& [key, branch] : branches) {
    keys.push_back(key);
    lists.push_back(branch.list());
  }
  check_keys(keys);
  if (default_branch.list()) {
    lists.push_back(default_branch.list());
  } else {
    keys.pop_back();
  }
  return emit_switch_case(index, keys, lists).front();
}

std::vector<Variable> while_loop(
    const std::function<Variable(const std::vector<Variable>&)>& condition,
    const std::function<std::vector<Variable>(const std::vector<Variable>&)>& body,
    const std::vector<Variable>& values, const WhileOptions& options) {
  if (values.empty()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[while] has no values, so its condition could never change; give at least one");
  }
  ControlFlow op("while", values, /*loop_blocks=*/2);
  const std::vector<VarId> ids = op.input("values", values);
  op.attr("max_iterations", options.max_iterations);
  op.loop_block(ids, [&](const std::vector<Variable>& given) {
    return std::vector<Variable>{condition(given)};
  });
  op.loop_block(ids, body);
  return op.append().front();
}

ScanResult<Variable> scan(
    const std::function<ScanResult<Variable>(const std::vector<Variable>& carry,
                                             const std::vector<Variable>& xs)>& body,
    const std::vector<Variable>& carry, const std::vector<Variable>& xs,
    const ScanOptions& options) {
  std::vector<Variable> given = carry;
  given.insert(given.end(), xs.begin(), xs.end());
  if (given.empty()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[scan] has neither carried values nor stacked inputs; give at least one");
  }
  ControlFlow op("scan", given, /*loop_blocks=*/1);
  const std::vector<VarId> values = op.input("values", carry);
  const std::vector<VarId> stacked = op.input("xs", xs);
  op.attr("length", options.length);
  op.attr("reverse", options.reverse);
  const auto count = static_cast<std::ptrdiff_t>(carry.size());
  op.scan_block(values, stacked, [&](const std::vector<Variable>& taken) {
    const ScanResult<Variable> step =
        body({taken.begin(), taken.begin() + count}, {taken.begin() + count, taken.end()});
    if (step.carry.size() != carry.size()) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[scan] its body gives {} carried value(s) for {}; give the next one of each",
                  step.carry.size(), carry.size());
    }
    std::vector<Variable> results = step.carry;
    results.insert(results.end(), step.ys.begin(), step.ys.end());
    return results;
  });
  std::vector<std::vector<Variable>> outputs = op.append();
  return {std::move(outputs[0]), std::move(outputs[1])};
}

std::vector<Variable> conditional_block(const Variable& predicate,
                                        const ListBranch<Variable>& block) {
  check_predicate("conditional_block", predicate);
  ControlFlow op("conditional_block", {predicate});
  op.input("pred", {predicate});
  op.branch(block);
  return op.append().front();
}

Variable select_input(const Variable& mask, const std::vector<Variable>& inputs) {
  return OpCall<Variable>("select_input").input("mask", mask).inputs_of("x", inputs).result();
}

}  // namespace v0
}  // namespace loci
