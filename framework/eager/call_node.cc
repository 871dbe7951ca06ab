#include "framework/eager/call_node.h"

#include <loci/creation.hpp>
#include <utility>

#include "framework/core/raise.h"
#include "framework/memory/node_pool.h"

namespace loci::eager {
namespace {

constexpr std::size_t kBits = 64;

std::uint64_t bit(std::size_t index) { return index >= kBits ? 0 : std::uint64_t{1} << index; }

// The gradient of what nothing depends on. Behind the last bit a script takes all for given.
Tensor zeros_behind_bits(const NodeOutput& output, std::size_t index) {
  if (index < kBits || !is_floating(output.type.dtype)) return {};
  const Place place = output.device == nullptr ? Place() : output.device->place();
  return full(output.type.shape, 0.0, output.type.dtype, place);
}

const Tensor& value_of(const CallPlan& plan, const TensorRef* values, std::size_t input) {
  return values[plan.inputs[input].value];
}

// Those flat inputs whose gradients go somewhere.
std::uint64_t wanted_inputs(const CallPlan& plan, const TensorRef* values, bool* any) {
  std::uint64_t wanted = 0;
  *any = false;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const PlannedInput& input = plan.inputs[i];
    if (input.value < 0 || !requires_grad(values[input.value])) continue;
    if (!is_floating(input.type.dtype)) continue;
    wanted |= bit(i);
    *any = true;
  }
  return wanted;
}

}  // namespace

CallNode::CallNode(std::shared_ptr<const CallPlan> plan, std::uint64_t wanted,
                   const TensorRef* values, const TensorList& results, std::int32_t overwritten)
    : plan_(std::move(plan)), wanted_(wanted) {
  for (std::size_t i = 0; i < plan_->inputs.size(); ++i) {
    const bool is_wanted = plan_->inputs[i].value >= 0 && (i >= kBits || (wanted & bit(i)) != 0);
    edges.push_back(is_wanted ? edge_of(value_of(*plan_, values, i)) : Edge{});
  }
  for (const Tensor& result : results) {
    outputs.push_back(result.defined() ? NodeOutput{{result.dtype(), result.shape()},
                                                    result.impl()->storage()->device}
                                       : NodeOutput{});
  }
  const CallPlan::Needs& needs = plan_->needs(wanted_);
  const std::size_t inputs = plan_->inputs.size();
  for (const std::int32_t id : needs.reads) {
    const auto at = static_cast<std::size_t>(id);
    if (at >= inputs) {
      saved_.push_back({id, SavedTensor(results[at - inputs], /*is_output=*/true)});
    } else if (id == overwritten) {
      saved_.push_back({id, SavedTensor::overwritten(value_of(*plan_, values, at))});
    } else {
      saved_.push_back({id, SavedTensor(value_of(*plan_, values, at), /*is_output=*/false)});
    }
  }
  for (const std::int32_t id : needs.measures) {
    // The node knows the forms of its outputs.
    const auto at = static_cast<std::size_t>(id);
    if (at >= inputs) continue;
    saved_.push_back({id, SavedTensor::form_of(value_of(*plan_, values, at))});
  }
}

void CallNode::check_released() const {
  if (!is_released_) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[backward] {} has been gone through by backward() before, and what it saved is "
              "released; say retain_graph in the first call, or compute the forward pass again",
              name());
}

// A saved value goes on where the call's argument came from.
Tensor CallNode::saved_value(std::size_t position, bool creates_graph) {
  const Saved& saved = saved_[position];
  const Tensor& value = saved.tensor.get(name());
  if (!creates_graph) return value;
  const auto at = static_cast<std::size_t>(saved.value);
  const std::size_t inputs = plan_->inputs.size();
  if (at < inputs) return attached(value, edges[at]);
  const PlannedOutput& output = plan_->outputs[at - inputs];
  if (!is_floating(output.type.dtype)) return value;
  Tensor alias = value.detach();
  set_node(alias, own(), static_cast<std::uint32_t>(at - inputs));
  return alias;
}

Gradients CallNode::backward(const Gradients& given, bool creates_graph) {
  check_released();
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < given.size(); ++i) mask |= given[i].dense.defined() ? bit(i) : 0;
  const GradientScript& script = plan_->gradient(wanted_, mask);
  GradientScript::Values values;
  values.resize(script.value_count());
  for (std::size_t i = 0; i < saved_.size(); ++i) {
    values[static_cast<std::size_t>(saved_[i].value)] = saved_value(i, creates_graph);
  }
  for (const std::int32_t id : script.measures()) {
    const auto at = static_cast<std::size_t>(id);
    if (at < plan_->inputs.size() || values[at].defined()) continue;
    const NodeOutput& measured = outputs[at - plan_->inputs.size()];
    values[at] = form_of(measured.type, measured.device);
  }
  const std::size_t first = plan_->inputs.size() + plan_->outputs.size();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool is_there = given[i].dense.defined();
    values[first + i] = is_there ? given[i].dense : zeros_behind_bits(outputs[i], i);
  }
  script.run(values);
  Gradients result;
  result.resize(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const GradientScript::Result& made = script.results()[i];
    if (made.value < 0 || !edges[i].defined()) continue;
    const Tensor& value = values[static_cast<std::size_t>(made.value)];
    if (made.rows < 0) {
      result[i].dense = value;
    } else {
      result[i].rows.push_back({values[static_cast<std::size_t>(made.rows)], value});
    }
  }
  return result;
}

void CallNode::release() {
  saved_.clear();
  is_released_ = true;
}

bool record_call(const std::shared_ptr<const CallPlan>& plan, const TensorRef* values,
                 const TensorList& results, std::int32_t overwritten) {
  bool any = false;
  const std::uint64_t wanted = wanted_inputs(*plan, values, &any);
  if (!any || !plan->schema->gradient_fn()) return false;
  auto node = memory::make_pooled<CallNode>(plan, wanted, values, results, overwritten);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const PlannedOutput& output = plan->outputs[i];
    if (!results[i].defined() || output.updates >= 0 || !is_floating(output.type.dtype)) continue;
    set_node(results[i], node, static_cast<std::uint32_t>(i));
  }
  return true;
}

}  // namespace loci::eager
