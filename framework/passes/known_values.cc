#include "framework/passes/known_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/core/elements.h"
#include "framework/ops/assigned_value.h"
#include "framework/ops/op_registry.h"
#include "framework/program/builder.h"
#include "framework/program/guard_text.h"

namespace loci::passes {
namespace {

using ops::Residence;
using program::Operator;
using program::Slot;
using program::VarId;

// Larger values would make the program, which may be saved or printed, unwieldy.
constexpr std::int64_t kMostBytes = 4096;

bool has_inputs(const Operator& op) {
  return std::any_of(op.inputs.begin(), op.inputs.end(),
                     [](const Slot& slot) { return !slot.empty(); });
}

// An attribute has no way to say which NaN.
bool has_nan(const Tensor& tensor) {
  if (!is_floating(tensor.dtype())) return false;
  const std::vector<double> values = core::to_doubles(tensor);
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

}  // namespace

std::vector<std::vector<ops::TensorType>> KnownValues::infer(const Operator& op) {
  return program::infer_outputs(block_, op);
}

bool KnownValues::may_be_known(const Operator& op) const {
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    if (op.schema->inputs()[slot].residence == Residence::kMetadata) continue;
    for (const VarId id : op.inputs[slot]) {
      if (values_.count(id) == 0 && sources_.count(id) == 0) return false;
    }
  }
  return true;
}

bool KnownValues::is_candidate(const Operator& op) const {
  if (!is_pure(op, block_) || !may_be_known(op)) return false;
  for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
    if (op.schema->outputs()[slot].extent == ops::Extent::kBounded) return false;
    for (const VarId id : op.outputs[slot]) {
      const ops::TensorType& type = block_.var(id).type;
      if (!type.shape.is_static()) return false;
      const auto size = static_cast<std::int64_t>(dtype_size(type.dtype));
      if (size == 0 || !is_below(sizes_, id, type.shape, kMostBytes / size + 1)) return false;
    }
  }
  return true;
}

bool KnownValues::note(const Operator& op) {
  if (!is_candidate(op)) return false;
  if (has_inputs(op)) return compute(op);
  for (const Slot& slot : op.outputs) {
    for (const VarId id : slot) sources_.emplace(id, op);
  }
  return false;
}

bool KnownValues::compute(const Operator& op) {
  std::vector<std::vector<Tensor>> inputs;
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    std::vector<Tensor>& list = inputs.emplace_back();
    for (const VarId id : op.inputs[slot]) {
      const bool metadata = op.schema->inputs()[slot].residence == Residence::kMetadata;
      const Tensor known = metadata ? Tensor() : value(id);
      const bool missing = metadata ? !block_.var(id).type.shape.is_static() : !known.defined();
      if (missing) return false;
      if (metadata) note_only_for(sizes_, id);
      list.push_back(known);
    }
  }
  const auto outputs = evaluate_(op, block_, inputs);
  if (!outputs || std::any_of(outputs->begin(), outputs->end(), has_nan)) return false;
  std::size_t next = 0;
  for (const Slot& slot : op.outputs) {
    for (const VarId id : slot) values_[id] = (*outputs)[next++];
  }
  return true;
}

Tensor KnownValues::value(VarId id) {
  const auto found = values_.find(id);
  if (found != values_.end()) return found->second;
  const auto source = sources_.find(id);
  if (source == sources_.end()) return {};
  const Operator op = source->second;
  for (const Slot& slot : op.outputs) {
    for (const VarId output : slot) sources_.erase(output);
  }
  return compute(op) ? values_[id] : Tensor();
}

std::vector<Operator> KnownValues::constants_for(const Operator& op) {
  std::vector<Operator> constants;
  for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
    const bool on_host = op.schema->outputs()[slot].residence == Residence::kHost;
    for (const VarId id : op.outputs[slot]) {
      Operator& constant = constants.emplace_back();
      constant.schema = &ops::op_registry().get("assign_value");
      constant.name = constants.size() == 1 ? op.name : block_.var(id).name;
      constant.outputs = {{id}};
      constant.attributes = constant.schema->complete(ops::assigned_value(values_[id]));
      constant.guard = on_host ? program::guard_text(Place(), program::Standing::kFound) : op.guard;
      constant.role = op.role;
      constant.scope = op.scope;
      constant.origin = op.origin;
    }
  }
  return constants;
}

bool KnownValues::read(VarId id, Attribute* attribute) {
  if (!std::holds_alternative<std::vector<std::int64_t>>(*attribute)) return false;
  const Tensor known = value(id);
  if (!known.defined() || is_floating(known.dtype())) return false;
  *attribute = core::to_integers(known);
  return true;
}

}  // namespace loci::passes
