#include "tests/support/gradient_probe.h"

#include <stdexcept>
#include <utility>

#include "framework/ops/op_registry.h"

namespace loci::test_support {
namespace {

using Values = std::map<std::string, std::vector<ops::Value>, std::less<>>;

ops::Value find(const Values& values, std::string_view slot, std::size_t index) {
  const auto found = values.find(slot);
  if (found == values.end() || index >= found->second.size()) return {};
  return found->second[index];
}

std::string argument_name(std::string_view slot, std::size_t index) {
  std::string name(slot);
  if (index > 0) name.append(std::to_string(index));
  return name;
}

bool fits(const ops::TensorType& a, const ops::TensorType& b) {
  if (a.dtype != b.dtype || a.shape.rank() != b.shape.rank()) return false;
  for (int i = 0; i < a.shape.rank(); ++i) {
    if (a.shape[i] != b.shape[i] && a.shape[i] >= 0 && b.shape[i] >= 0) return false;
  }
  return true;
}

}  // namespace

GradientProbe::GradientProbe(const std::string& op) : schema_(&ops::op_registry().get(op)) {}

GradientProbe& GradientProbe::with(const std::string& slot, const Shape& shape, DType dtype) {
  std::vector<ops::Value>& values = inputs_[slot];
  values.push_back(emitter_->add(argument_name(slot, values.size()), {dtype, shape}));
  return *this;
}

GradientProbe& GradientProbe::attr(const std::string& name, Attribute value) {
  attributes_.insert_or_assign(name, std::move(value));
  return *this;
}

GradientProbe& GradientProbe::unwanted(const std::string& slot) {
  unwanted_.insert(slot);
  return *this;
}

GradientProbe& GradientProbe::no_output_grad(const std::string& slot) {
  no_output_grad_.insert(slot);
  return *this;
}

void GradientProbe::infer_outputs() {
  std::vector<std::vector<ops::InferArgument>> arguments(schema_->inputs().size());
  for (const auto& [slot, values] : inputs_) {
    for (const ops::Value value : values) {
      arguments.at(static_cast<std::size_t>(schema_->input_index(slot)))
          .push_back({emitter_->type(value), slot, {}});
    }
  }
  ops::InferContext ctx(*schema_, std::move(arguments), attributes_);
  ctx.run();
  for (std::size_t i = 0; i < ctx.outputs().size(); ++i) {
    const std::string& slot = schema_->outputs()[i].name;
    for (std::size_t j = 0; j < ctx.outputs()[i].size(); ++j) {
      const std::string name = argument_name(slot, j);
      const ops::TensorType& type = ctx.outputs()[i][j];
      outputs_[slot].push_back(emitter_->add(name, type));
      output_grads_[slot].push_back(
          no_output_grad_.count(name) == 0 ? emitter_->add("d_" + name, type) : ops::Value{});
    }
  }
}

GradientProbe& GradientProbe::run() {
  attributes_ = schema_->complete(attributes_);
  infer_outputs();
  schema_->gradient_fn()(*this);
  return *this;
}

std::string GradientProbe::grad(const std::string& slot, std::size_t index) const {
  const auto found = grads_.find(argument_name(slot, index));
  return found == grads_.end() ? "none" : found->second;
}

ops::Value GradientProbe::input(std::string_view slot, std::size_t index) const {
  return find(inputs_, slot, index);
}

std::size_t GradientProbe::input_count(std::string_view slot) const {
  const auto found = inputs_.find(slot);
  return found == inputs_.end() ? 0 : found->second.size();
}

ops::Value GradientProbe::output(std::string_view slot, std::size_t index) const {
  return find(outputs_, slot, index);
}

ops::Value GradientProbe::output_grad(std::string_view slot, std::size_t index) const {
  return find(output_grads_, slot, index);
}

bool GradientProbe::needs_grad(std::string_view slot, std::size_t index) const {
  return unwanted_.count(argument_name(slot, index)) == 0;
}

void GradientProbe::set_input_grad(std::string_view slot, ops::Value grad, std::size_t index) {
  const std::string name = argument_name(slot, index);
  const ops::Value argument = find(inputs_, slot, index);
  if (!argument.defined()) throw std::logic_error("a gradient for the absent input " + name);
  if (!fits(emitter_->type(argument), emitter_->type(grad))) {
    throw std::logic_error("the gradient of " + name + " has the shape " +
                           emitter_->type(grad).shape.to_string());
  }
  if (!grads_.emplace(name, emitter_->name(grad)).second) {
    throw std::logic_error("a second gradient for " + name);
  }
}

void GradientProbe::set_input_grad_rows(std::string_view slot, const ops::RowSparse& grad,
                                        std::size_t) {
  std::string name = "rows ";
  name.append(emitter_->name(grad.rows)).append(" of ").append(emitter_->name(grad.values));
  if (!grads_.emplace(std::string(slot), std::move(name)).second) {
    throw std::logic_error("a second gradient for " + std::string(slot));
  }
}

}  // namespace loci::test_support
