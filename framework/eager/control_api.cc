// Branches and loops on tensors: the decision is read, and the function called.
#include <loci/autograd.hpp>
#include <loci/control_flow.hpp>
#include <loci/ops/elementwise.hpp>
#include <set>

#include "framework/core/elements.h"
#include "framework/core/raise.h"
#include "framework/eager/draw_scope.h"
#include "framework/eager/host_read.h"
#include "framework/eager/interceptor.h"
#include "framework/eager/scan.h"
#include "framework/eager/thread_state.h"

namespace loci {
namespace eager {
namespace {

void check_one(const Tensor& decider, bool is_right_dtype, const char* op, const char* dtypes) {
  if (decider.defined() && is_right_dtype && decider.numel() == 1) return;
  core::raise(ErrorCode::kInvalidArgument, "[{}] '{}' is {} {}; give one element of {}", op,
              decider.defined() ? decider.name() : std::string(),
              decider.defined() ? dtype_name(decider.dtype()) : "undefined",
              decider.defined() ? decider.shape().to_string() : std::string(), dtypes);
}

// Reads on the host, for the op, the value that decides; `variable` names it if it has no name.
std::int64_t element(const Tensor& decider, const char* variable, const char* op) {
  return core::to_integers(read_on_host(decider, variable, op)).front();
}

bool decide(const Tensor& predicate, const char* variable, const char* op) {
  check_one(predicate, predicate.defined() && predicate.dtype() == kBool, op, "bool");
  return element(predicate, variable, op) != 0;
}

std::int64_t number(const Tensor& index, const char* variable, const char* op) {
  const bool is_integer =
      index.defined() && !is_floating(index.dtype()) && index.dtype() != DType::kNone;
  check_one(index, is_integer, op, "an integer dtype");
  return element(index, variable, op);
}

void check_keys(const std::vector<std::int64_t>& keys) {
  std::set<std::int64_t> seen;
  for (const std::int64_t key : keys) {
    if (seen.insert(key).second) continue;
    core::raise(ErrorCode::kInvalidArgument, "[switch_case] the key {} occurs twice", key);
  }
}

template <class Result>
Result run_branch(const std::function<Result()>& branch, const char* op) {
  if (!branch) {
    core::raise(ErrorCode::kInvalidArgument, "[{}] a branch has no function; give one", op);
  }
  return branch();
}

void check_values(const std::vector<Tensor>& before, const std::vector<Tensor>& after) {
  if (before.size() != after.size()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[while] the body returns {} value(s) for {}; return one for each", after.size(),
                before.size());
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].dtype() == after[i].dtype() &&
        before[i].shape().rank() == after[i].shape().rank())
      continue;
    core::raise(ErrorCode::kInvalidArgument,
                "[while] value {} '{}' is {} {} before an iteration and {} {} after it; a loop "
                "keeps dtypes and ranks",
                i, before[i].name(), dtype_name(before[i].dtype()), before[i].shape().to_string(),
                dtype_name(after[i].dtype()), after[i].shape().to_string());
  }
}

// The lists of branches, with the one that is taken else at the end.
template <class Pairs>
std::vector<ListBranch<Tensor>> lists_of(const Pairs& branches,
                                         const Branch<Tensor>& default_branch) {
  std::vector<ListBranch<Tensor>> lists;
  for (const auto& [key, branch] : branches) lists.push_back(branch.list());
  if (default_branch.list()) lists.push_back(default_branch.list());
  return lists;
}

}  // namespace
}  // namespace eager

inline namespace v0 {

std::vector<Tensor> emit_case(const std::vector<Tensor>& predicates,
                              const std::vector<ListBranch<Tensor>>& branches) {
  if (eager::Interceptor* interceptor = eager::thread_state().interceptor) {
    return interceptor->choose(predicates, branches);
  }
  if (branches.size() != predicates.size() + 1) {
    core::raise(ErrorCode::kInvalidArgument, "[case] has {} branches for {} predicates",
                branches.size(), predicates.size());
  }
  if (predicates.empty()) return eager::run_branch(branches.back(), "case");
  const eager::DrawScope draws;
  for (std::size_t i = 0; i < predicates.size(); ++i) {
    if (eager::decide(predicates[i], "case.predicate", "case"))
      return eager::run_branch(branches[i], "case");
  }
  return eager::run_branch(branches.back(), "case");
}

std::vector<Tensor> emit_switch_case(const Tensor& index, const std::vector<std::int64_t>& keys,
                                     const std::vector<ListBranch<Tensor>>& branches) {
  eager::check_keys(keys);
  if (eager::Interceptor* interceptor = eager::thread_state().interceptor) {
    return interceptor->choose(index, keys, branches);
  }
  const eager::DrawScope draws;
  const std::int64_t wanted = eager::number(index, "switch_case.index", "switch_case");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == wanted) return eager::run_branch(branches[i], "switch_case");
  }
  return eager::run_branch(branches.back(), "switch_case");
}

Tensor case_of(const std::vector<std::pair<Tensor, Branch<Tensor>>>& branches,
               const Branch<Tensor>& default_branch) {
  if (branches.empty()) {
    core::raise(ErrorCode::kInvalidArgument, "[case] has no branches; give at least one");
  }
  std::vector<Tensor> predicates;
  for (const auto& [predicate, branch] : branches) predicates.push_back(predicate);
  const std::vector<ListBranch<Tensor>> lists = eager::lists_of(branches, default_branch);
  // The last branch needs no predicate where there is no default.
  predicates.resize(lists.size() - 1);
  return emit_case(predicates, lists).front();
}

Tensor switch_case(const Tensor& index,
                   const std::vector<std::pair<std::int64_t, Branch<Tensor>>>& branches,
                   const Branch<Tensor>& default_branch) {
  if (branches.empty()) {
    core::raise(ErrorCode::kInvalidArgument, "[switch_case] has no branches; give at least one");
  }
  std::vector<std::int64_t> keys;
  for (const auto& [key, branch] : branches) keys.push_back(key);
  eager::check_keys(keys);
  const std::vector<ListBranch<Tensor>> lists = eager::lists_of(branches, default_branch);
  keys.resize(lists.size() - 1);
  return emit_switch_case(index, keys, lists).front();
}

std::vector<Tensor> while_loop(
    const std::function<Tensor(const std::vector<Tensor>&)>& condition,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    const std::vector<Tensor>& values, const WhileOptions& options) {
  if (eager::Interceptor* interceptor = eager::thread_state().interceptor) {
    return interceptor->loop(condition, body, values, options);
  }
  if (options.max_iterations < 0) {
    core::raise(ErrorCode::kInvalidArgument,
                "[while] max_iterations is {}; give a positive number, or 0 for no limit",
                options.max_iterations);
  }
  std::vector<Tensor> current = eager::entering(values);
  eager::DrawScope draws;
  const auto goes_on = [&](std::int64_t iteration) {
    draws.enter(iteration);
    return eager::decide(condition(current), "while.condition", "while");
  };
  for (std::int64_t i = 0; goes_on(i); ++i) {
    if (options.max_iterations > 0 && i == options.max_iterations) {
      core::raise(ErrorCode::kFailed,
                  "[while] goes on after {} iterations, which is its limit; does its condition "
                  "become false?",
                  i);
    }
    std::vector<Tensor> next = body(current);
    eager::check_values(current, next);
    current = std::move(next);
  }
  return current;
}

Tensor select_input(const Tensor& mask, const std::vector<Tensor>& inputs) {
  if (eager::Interceptor* interceptor = eager::thread_state().interceptor) {
    return interceptor->select(mask, inputs);
  }
  const bool is_flag = mask.defined() && mask.dtype() == kBool;
  constexpr const char* kMask = "select_input.mask";
  const std::int64_t wanted =
      is_flag ? static_cast<std::int64_t>(eager::decide(mask, kMask, "select_input"))
              : eager::number(mask, kMask, "select_input");
  if (wanted < 0 || wanted >= static_cast<std::int64_t>(inputs.size())) {
    core::raise(ErrorCode::kInvalidArgument,
                "[select_input] the mask is {}, but there are {} inputs", wanted, inputs.size());
  }
  return inputs[static_cast<std::size_t>(wanted)];
}

}  // namespace v0
}  // namespace loci
