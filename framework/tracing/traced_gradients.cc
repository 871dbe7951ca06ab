// Gradients within a trace: operators of the program.
#include <algorithm>
#include <loci/autograd.hpp>
#include <loci/ops.hpp>

#include "framework/autograd/backward.h"
#include "framework/core/raise.h"
#include "framework/tracing/tracer.h"

namespace loci::tracing {

using autograd::GradientVar;
using program::kNoVar;

// One element whose gradient is that of the outputs, weighted.
Tensor Tracer::loss_of(const eager::BackwardRequest& request) {
  std::vector<Tensor> terms;
  for (std::size_t i = 0; i < request.outputs.size(); ++i) {
    const bool weighted = i < request.weights.size() && request.weights[i].defined();
    const Tensor& output = request.outputs[i];
    terms.push_back(weighted ? reduce_sum(elementwise_mul(output, request.weights[i])) : output);
  }
  Tensor loss = terms.front();
  for (std::size_t i = 1; i < terms.size(); ++i) {
    loss = elementwise_add(reshape(loss, {1}), reshape(terms[i], {1}));
  }
  return loss;
}

std::vector<Tensor> Tracer::backward(const eager::BackwardRequest& request) {
  const Tensor loss = loss_of(request);
  if (known(loss).variable.program() != program_.impl()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[trace] backward() and grad() cannot be called within a branch or loop; return "
                "the loss from there and differentiate it outside");
  }
  if (!request.targets.empty()) return gradients_for(loss, request.targets);
  add_to_leaves(loss);
  return {};
}

std::vector<Tensor> Tracer::gradients_for(const Tensor& loss, const std::vector<Tensor>& targets) {
  std::vector<program::VarId> vars;
  for (const Tensor& target : targets) vars.push_back(known(target).variable.id());
  const std::vector<GradientVar> found =
      autograd::append_gradients(*program_.impl(), known(loss).variable.id(), vars);
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < found.size(); ++i) {
    result.push_back(found[i].value == kNoVar
                         ? Tensor()
                         : stand_in(Variable(program_.impl(), found[i].value), targets[i].place()));
  }
  return result;
}

void Tracer::add_to_leaves(const Tensor& loss) {
  std::vector<Impl> leaves;
  std::vector<program::VarId> vars;
  for (const auto& [impl, entry] : known_) {
    const eager::History* history = eager::history_of(*impl);
    if (history == nullptr || !history->requires_grad) continue;
    if (entry.variable.program() != program_.impl()) continue;  // of a branch
    leaves.push_back(entry.tensor);
  }
  // In the order of the program, whatever the addresses are.
  std::sort(leaves.begin(), leaves.end(), [&](const Impl& a, const Impl& b) {
    return known_.at(a.get()).variable.id() < known_.at(b.get()).variable.id();
  });
  for (const Impl& leaf : leaves) vars.push_back(known_.at(leaf.get()).variable.id());
  const std::vector<GradientVar> found = autograd::append_gradients(
      *program_.impl(), known(loss).variable.id(), vars, autograd::SparseGradients::kKeep);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].value == kNoVar) continue;
    const Tensor value = stand_in(Variable(program_.impl(), found[i].value), leaves[i]->place());
    eager::Gradient gradient;
    if (found[i].rows == kNoVar) {
      gradient.dense = value;
    } else {
      gradient.rows.push_back(
          {stand_in(Variable(program_.impl(), found[i].rows), leaves[i]->place()), value});
    }
    set_leaf_gradient(leaves[i], std::move(gradient));
  }
}

// The tensor has it again when the trace ends.
void Tracer::keep_gradient(const Tensor& tensor) {
  for (const auto& [kept, before] : gradients_before_) {
    if (kept == tensor.impl()) return;
  }
  const eager::History* history = eager::history_of(*tensor.impl());
  gradients_before_.emplace_back(tensor.impl(),
                                 history == nullptr ? eager::Gradient{} : history->grad);
}

void Tracer::set_leaf_gradient(const Impl& leaf, eager::Gradient gradient) {
  keep_gradient(Tensor(leaf));
  eager::History& history = eager::ensure_history(*leaf);
  history.grad.add(std::move(gradient));
  eager::settle(&history.grad, *leaf);
}

}  // namespace loci::tracing
