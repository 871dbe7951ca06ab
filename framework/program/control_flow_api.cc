#include <algorithm>
#include <loci/control_flow.hpp>
#include <set>

#include "framework/core/raise.h"
#include "framework/program/block_builder.h"
#include "framework/program/builder.h"
#include "framework/program/control_flow.h"

namespace loci {
inline namespace v0 {
namespace {

using program::BlockBuilder;
using program::BlockSet;
using program::VarId;

// An operator with blocks while it is put together.
class ControlFlow {
 public:
  // `given` are its variables; at least one.
  ControlFlow(std::string type, const std::vector<Variable>& given) {
    spec_.type = std::move(type);
    spec_.guard = program::current_guard();
    BlockBuilder* around = BlockBuilder::active();
    target_ = around != nullptr ? around->program() : program_of(given);
  }

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
    blocks().add({}, /*copies_state=*/true, [&](const auto&) { return function(); });
  }
  void loop_block(const std::vector<VarId>& values, const BlockSet::Fill& fill) {
    blocks().add(values, /*copies_state=*/false, fill);
  }

  // The outputs that blocks return.
  std::vector<Variable> append() {
    spec_.blocks = blocks().take();
    spec_.inputs.push_back({"captures", blocks().captures()});
    std::vector<VarId> ids = program::append_operator(*target_, spec_);
    const program::Operator& op = target_->main().ops.back();
    std::vector<Variable> outputs;
    for (const VarId id : op.outputs.front()) outputs.emplace_back(target_, id);
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

  BlockSet& blocks() {
    if (blocks_ == nullptr) blocks_ = std::make_unique<BlockSet>(target_);
    return *blocks_;
  }

  program::OperatorSpec spec_;
  std::shared_ptr<program::ProgramImpl> target_;
  std::unique_ptr<BlockSet> blocks_;
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
  return op.append();
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
  return op.append();
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
  ControlFlow op("while", values);
  const std::vector<VarId> ids = op.input("values", values);
  op.attr("max_iterations", options.max_iterations);
  op.loop_block(ids, [&](const std::vector<Variable>& given) {
    return std::vector<Variable>{condition(given)};
  });
  op.loop_block(ids, body);
  return op.append();
}

std::vector<Variable> conditional_block(const Variable& predicate,
                                        const ListBranch<Variable>& block) {
  check_predicate("conditional_block", predicate);
  ControlFlow op("conditional_block", {predicate});
  op.input("pred", {predicate});
  op.branch(block);
  return op.append();
}

Variable select_input(const Variable& mask, const std::vector<Variable>& inputs) {
  return OpCall<Variable>("select_input").input("mask", mask).inputs_of("x", inputs).result();
}

}  // namespace v0
}  // namespace loci
