// Gradients within a trace: operators of the program.
#include <fmt/format.h>

#include <algorithm>
#include <loci/autograd.hpp>
#include <loci/ops.hpp>
#include <unordered_map>
#include <unordered_set>

#include "framework/core/raise.h"
#include "framework/tracing/tracer.h"

namespace loci::tracing {

using autograd::GradientVar;
using program::kNoVar;

namespace {

// Returns true if the gradient of what the edge leads to goes on to one of those.
bool leads_to(const std::vector<eager::Edge>& ends, const std::shared_ptr<eager::Node>& start) {
  std::unordered_set<const eager::Node*> seen{start.get()};
  std::vector<const eager::Node*> open{start.get()};
  while (!open.empty()) {
    const eager::Node* node = open.back();
    open.pop_back();
    for (const eager::Edge& edge : node->edges) {
      const bool is_end =
          edge.defined() && std::any_of(ends.begin(), ends.end(), [&](const auto& end) {
            return end.node == edge.node && end.output == edge.output && end.leaf == edge.leaf;
          });
      if (is_end) return true;
      if (edge.node != nullptr && seen.insert(edge.node.get()).second) {
        open.push_back(edge.node.get());
      }
    }
  }
  return false;
}

}  // namespace

// The hooks of tensors, and those that keep their gradient.
class Tracer::Hooks final : public autograd::GradientHook {
 public:
  Hooks(Tracer& tracer, bool creates_graph) : tracer_(tracer), creates_graph_(creates_graph) {
    for (const auto& node : tracer.nodes_) {
      if (!node->watches.empty() && node->variable.program() == tracer.program_.impl()) {
        watched_[node->variable.id()].node = node.get();
      }
    }
    for (const auto& [impl, known] : tracer.known_) {
      const eager::History* history = eager::history_of(*impl);
      if (history == nullptr || history->hooks.empty() || history->node != nullptr) continue;
      if (known.variable.program() != tracer.program_.impl()) continue;
      watched_[known.variable.id()].leaf = known.tensor;
    }
  }

  [[nodiscard]] bool watches(program::VarId var) const override { return watched_.count(var) != 0; }
  program::VarId replace(program::VarId var, program::VarId gradient) override {
    const Watched& watched = watched_.at(var);
    const Spot spot =
        watched.leaf != nullptr ? tracer_.spot_of(Tensor(watched.leaf)) : Spot{watched.node->place};
    const Tensor before = tracer_.gradient_tensor(gradient, spot, creates_graph_);
    Tensor now = before;
    if (watched.node != nullptr) watch(*watched.node, &now);
    if (watched.leaf != nullptr) {
      for (const eager::Hook& hook : eager::history_of(*watched.leaf)->hooks) {
        now = eager::hooked(hook, now, fmt::format("the leaf '{}'", watched.leaf->name()));
      }
    }
    if (now.impl() == before.impl()) return gradient;
    return tracer_.known(assign(now)).variable.id();  // what the hook has may be of others too
  }

 private:
  struct Watched {
    TracedNode* node = nullptr;  // or
    Impl leaf;
  };

  static void watch(const eager::Node& node, Tensor* gradient) {
    for (const eager::Node::Watch& watch : node.watches) {
      if (watch.hook) {
        *gradient =
            eager::hooked(watch.hook, *gradient, fmt::format("a result of {}", node.name()));
      } else if (const auto kept = watch.keeps.lock()) {
        eager::Gradient& sum = eager::ensure_history(*kept).grad;
        sum.add(*gradient);
        eager::settle(&sum, *kept);
      }
    }
  }

  Tracer& tracer_;
  bool creates_graph_;
  std::unordered_map<program::VarId, Watched> watched_;
};

void Tracer::require_recorded(const eager::BackwardRequest& request) const {
  if (!request.targets.empty()) return;
  for (const Tensor& output : request.outputs) {
    if (requires_of(output) != Requires::kNo) continue;
    core::raise(ErrorCode::kInvalidArgument,
                "[backward] nothing is recorded of '{}' {}: no tensor that requires a gradient "
                "took part in it, or it was computed under NoGrad",
                output.name(), output.shape().to_string());
  }
}

// One element whose gradient is that of the outputs, weighted.
Tensor Tracer::loss_of(const eager::BackwardRequest& request) {
  const GradMode on(true);
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
  require_recorded(request);
  const Tensor loss = loss_of(request);
  if (known(loss).variable.program() != program_.impl()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[trace] backward() and grad() cannot be called within a branch or loop; return "
                "the loss from there and differentiate it outside");
  }
  const GradMode mode(request.creates_graph);
  if (!request.targets.empty()) return gradients_for(loss, request);
  add_to_leaves(loss, request.creates_graph);
  return {};
}

// Results of ops that were recorded before the trace, which the program has no part of: where their
// gradient would go on, to leaves or to one of the targets.
std::vector<Tracer::Impl> Tracer::recorded_outside(const std::vector<Tensor>& targets) const {
  std::vector<eager::Edge> ends;
  for (const Tensor& target : targets) {
    const auto leaf = leaf_index_.find(target.impl().get());
    ends.push_back(
        eager::edge_of(leaf == leaf_index_.end() ? target : Tensor(leaf->second->outside.tensor)));
  }
  std::vector<Impl> found;
  for (const Leaf& leaf : leaves_) {
    if (!leaf.outside.is_result || known_.count(leaf.tensor.get()) == 0) continue;
    const auto& node = eager::history_of(*leaf.outside.tensor)->node;
    if (targets.empty() || leads_to(ends, node)) found.push_back(leaf.tensor);
  }
  return found;
}

Tensor Tracer::gradient_tensor(program::VarId id, const Spot& spot, bool creates_graph) {
  const Variable variable(program_.impl(), id);
  const Tensor gradient = stand_in(variable, spot);
  if (creates_graph) {
    record(gradient, Requires::kYes, "backward");
  } else {
    variable.set_stop_gradient(true);
  }
  return gradient;
}

// Where something is recorded of the outputs, targets of which nothing is have no gradient, as on
// the tape; else the program differentiates what the tape would refuse.
std::vector<Tensor> Tracer::gradients_for(const Tensor& loss,
                                          const eager::BackwardRequest& request) {
  const std::vector<Tensor>& targets = request.targets;
  const bool creates_graph = request.creates_graph;
  const auto is_recorded = [this](const Tensor& each) {
    return requires_of(each) != Requires::kNo;
  };
  const bool needs_record =
      std::any_of(request.outputs.begin(), request.outputs.end(), is_recorded);
  std::vector<program::VarId> vars;
  for (const Tensor& target : targets) vars.push_back(known(target).variable.id());
  const std::vector<Impl> behind = recorded_outside(targets);
  for (const Impl& impl : behind) vars.push_back(known_.at(impl.get()).variable.id());
  Hooks hooks(*this, creates_graph);
  const std::vector<GradientVar> found =
      autograd::append_gradients(*program_.impl(), known(loss).variable.id(), vars,
                                 autograd::SparseGradients::kMakeDense, &hooks);
  refuse_outside(behind, found, targets.size());
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const bool is_absent = found[i].value == kNoVar || (needs_record && !is_recorded(targets[i]));
    result.push_back(
        is_absent ? Tensor() : gradient_tensor(found[i].value, spot_of(targets[i]), creates_graph));
  }
  return result;
}

void Tracer::refuse_outside(const std::vector<Impl>& behind, const std::vector<GradientVar>& found,
                            std::size_t first) const {
  for (std::size_t i = 0; i < behind.size(); ++i) {
    if (found[first + i].value == kNoVar) continue;
    core::raise(ErrorCode::kInvalidArgument,
                "[trace] a gradient gets to '{}' {}, which was computed outside of the function of "
                "what requires one, and cannot go on there; compute it within the function, or "
                "give the function detach() of it",
                behind[i]->name(), behind[i]->shape().to_string());
  }
}

void Tracer::add_to_leaves(const Tensor& loss, bool creates_graph) {
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
  const std::vector<Impl> behind = recorded_outside({});
  for (const Impl& leaf : leaves) vars.push_back(known_.at(leaf.get()).variable.id());
  for (const Impl& impl : behind) vars.push_back(known_.at(impl.get()).variable.id());
  Hooks hooks(*this, creates_graph);
  const std::vector<GradientVar> found = autograd::append_gradients(
      *program_.impl(), known(loss).variable.id(), vars, autograd::SparseGradients::kKeep, &hooks);
  refuse_outside(behind, found, leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (found[i].value == kNoVar) continue;
    const Spot spot = spot_of(Tensor(leaves[i]));
    const Tensor value = gradient_tensor(found[i].value, spot, creates_graph);
    eager::Gradient gradient;
    if (found[i].rows == kNoVar) {
      gradient.dense = value;
    } else {
      gradient.rows.push_back({stand_in(Variable(program_.impl(), found[i].rows), spot), value});
    }
    set_leaf_gradient(leaves[i], std::move(gradient));
  }
}

void Tracer::set_leaf_gradient(const Impl& leaf, eager::Gradient gradient) {
  read_gradient(Tensor(leaf));
  eager::History& history = eager::ensure_history(*leaf);
  history.grad.add(std::move(gradient));
  eager::settle(&history.grad, *leaf);
}

}  // namespace loci::tracing
