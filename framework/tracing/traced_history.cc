// The tape's knowledge of tensors within a trace, and the part of it that outlives a call.
#include <algorithm>
#include <loci/autograd.hpp>
#include <loci/ops.hpp>

#include "framework/core/raise.h"
#include "framework/eager/thread_state.h"
#include "framework/tracing/tracer.h"

namespace loci::tracing {
namespace {

bool is_same(const eager::Gradient& a, const eager::Gradient& b) {
  if (a.dense.impl() != b.dense.impl() || a.rows.size() != b.rows.size()) return false;
  return std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), [](const auto& x, const auto& y) {
    return x.values.impl() == y.values.impl();
  });
}

}  // namespace

Tracer::Leaf& Tracer::add_leaf(const Impl& tensor, const Impl& outside, int input) {
  Leaf& leaf = leaves_.emplace_back();
  leaf.tensor = tensor;
  leaf.outside.tensor = outside;
  leaf.outside.input = input;
  leaf.outside.look_at(*outside);
  leaf_index_.emplace(tensor.get(), &leaf);
  return leaf;
}

Tracer::Leaf* Tracer::leaf_of(const Tensor& tensor) {
  const auto found = leaf_index_.find(tensor.impl().get());
  if (found != leaf_index_.end()) return found->second;
  const auto made = known_.find(tensor.impl().get());
  if (made != known_.end() && !made->second.is_captured) return nullptr;
  return &add_leaf(tensor.impl(), tensor.impl(), OutsideLeaf::kNoInput);
}

Tracer::Requires Tracer::requires_of(const Tensor& tensor) const {
  if (!eager::requires_grad(tensor)) return Requires::kNo;
  const auto found = known_.find(tensor.impl().get());
  const bool perhaps = found != known_.end() && found->second.may_require;
  return perhaps ? Requires::kPerhaps : Requires::kYes;
}

std::vector<Tracer::Requires> Tracer::requires_of(const std::vector<Tensor>& tensors) const {
  std::vector<Requires> wanted;
  for (const Tensor& tensor : tensors) {
    wanted.push_back(tensor.defined() ? requires_of(tensor) : Requires::kNo);
  }
  return wanted;
}

// Returns what the tape would record of the call.
Tracer::Requires Tracer::requires_of(const OpCall<Tensor>& call) const {
  Requires wanted = Requires::kNo;
  if (!eager::thread_state().records) return wanted;
  for (const Tensor& value : call.values) {
    if (is_floating(value.dtype())) wanted = std::max(wanted, requires_of(value));
  }
  return wanted;
}

void Tracer::record(const Tensor& tensor, Requires wanted, const std::string& op) {
  if (wanted == Requires::kNo || !is_floating(tensor.dtype())) return;
  Known& made = known(tensor);
  made.may_require = wanted == Requires::kPerhaps;
  nodes_.push_back(std::make_shared<TracedNode>(op, made.variable, tensor.place()));
  add_result(tensor, nodes_.back());
}

void Tracer::check_question(const Tensor& tensor, const char* question) {
  if (leaf_of(tensor) != nullptr) return;
  const bool hangs_on_branch = known(tensor).may_require;
  const bool hangs_on_step = loops_ > 0 && eager::thread_state().records;
  if (!hangs_on_branch && !hangs_on_step) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[trace] {} of '{}' {} hangs on {}, which only a run knows; ask it of a tensor from "
              "outside of control flow, or make it the same in all by detach()",
              question, tensor.name(), tensor.shape().to_string(),
              hangs_on_branch ? "which branch runs, or how often a loop does"
                              : "the iteration of a loop or scan");
}

// Earlier readers of the tensor go on without a gradient of it, as on the tape.
void Tracer::change_requirement(const Tensor& tensor, bool required) {
  Leaf* leaf = leaf_of(tensor);
  if (leaf != nullptr) leaf->is_changed = true;
  const auto found = known_.find(tensor.impl().get());
  const bool begins = required && !eager::requires_grad(tensor);
  if (!begins || found == known_.end() || found->second.is_captured) return;
  Tensor later;
  {
    const NoGrad scope;
    later = assign(tensor);
  }
  Known& changed = known(tensor);
  const Variable variable = known(later).variable;
  if (variable.program() != changed.variable.program()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[trace] set_requires_grad() of '{}' {} within a branch or loop, but it was made "
                "outside of it; call it there",
                tensor.name(), tensor.shape().to_string());
  }
  variable.set_stop_gradient(false);
  changed.variable = variable;
}

void Tracer::check_watch(const Tensor& tensor, const char* call) {
  const char* why = nullptr;
  if (leaf_of(tensor) != nullptr) {
    why =
        "is from outside of the function, so that each call would add to what it has; call it "
        "there, once, or let the function watch what it computes";
  } else if (known(tensor).variable.program() != program_.impl()) {
    why =
        "is of a branch or loop, whose gradients no tensor stands for; return it from there and "
        "watch what is returned";
  }
  if (why == nullptr) return;
  core::raise(ErrorCode::kInvalidArgument, "[trace] {} of '{}' {}, which {}", call, tensor.name(),
              tensor.shape().to_string(), why);
}

Tensor Tracer::add_gradient_input(const Tensor& gradient, OutsideLeaf* leaf) {
  program::VarDesc desc;
  desc.name = program_.impl()->unique_name("gradient_before");
  desc.type = {gradient.dtype(), gradient.shape()};
  desc.is_data = true;
  desc.stop_gradient = true;
  leaf->given.push_back({gradient.dtype(), gradient.shape(), gradient.place(), desc.name});
  const Variable variable(program_.impl(), block().add_var(std::move(desc)));
  program_.impl()->touch();
  Tensor made = stand_in(variable, {gradient.place()});
  known_.at(made.impl().get()).is_input = true;
  return made;
}

// The function gets a stand-in for the gradient that each call finds.
void Tracer::read_gradient(const Tensor& tensor) {
  Leaf* leaf = leaf_of(tensor);
  if (leaf == nullptr || leaf->is_kept) return;
  keep_gradient(tensor);
  leaf->outside.is_read = true;
  if (purpose_ != Purpose::kFunction) return;
  const std::vector<Tensor> parts = gradient_parts(*leaf->outside.tensor);
  if (parts.empty()) return;
  if (parts.size() == 1) {
    leaf->given.add(add_gradient_input(parts[0], &leaf->outside));
  } else {
    const Tensor rows = add_gradient_input(parts[0], &leaf->outside);
    leaf->given.rows.push_back({rows, add_gradient_input(parts[1], &leaf->outside)});
  }
  eager::ensure_history(*leaf->tensor).grad = leaf->given;
}

// The tensor has it again when the trace ends.
void Tracer::keep_gradient(const Tensor& tensor) {
  Leaf* leaf = leaf_of(tensor);
  if (leaf == nullptr || leaf->is_kept) return;
  leaf->is_kept = true;
  const eager::History* history = eager::history_of(*leaf->tensor);
  if (history != nullptr) leaf->before = history->grad;
}

std::vector<OutsideLeaf> Tracer::outside_leaves(std::vector<Variable>* left) {
  std::vector<OutsideLeaf> result;
  const auto leave = [&](const Tensor& part) {
    left->push_back(result_of(part));
    outputs_.push_back(left->back());  // no other one takes it
  };
  for (std::size_t i = 0; i < leaves_.size(); ++i) {  // results may be of further ones
    const Leaf& leaf = leaves_[i];
    OutsideLeaf outside = leaf.outside;
    if (outside.input != OutsideLeaf::kNoInput) outside.tensor = nullptr;
    outside.sets_requirement = leaf.is_changed;
    const eager::History* history = eager::history_of(*leaf.tensor);
    if (leaf.is_changed) outside.required_after = history->requires_grad;
    if (leaf.is_kept) {
      const eager::Gradient& now = history == nullptr ? eager::Gradient{} : history->grad;
      outside.first_left = left->size();
      if (!now.defined()) {
        outside.left = outside.is_read && !leaf.given.defined() ? OutsideLeaf::Left::kAsItWas
                                                                : OutsideLeaf::Left::kNothing;
      } else if (is_same(now, leaf.given)) {
        outside.left = OutsideLeaf::Left::kAsItWas;
      } else if (now.is_sparse()) {
        outside.left = OutsideLeaf::Left::kRows;
        leave(now.rows.front().rows);
        leave(now.rows.front().values);
      } else {
        outside.left = OutsideLeaf::Left::kDense;
        leave(now.dense);
      }
    }
    result.push_back(std::move(outside));
  }
  return result;
}

}  // namespace loci::tracing
