#include "framework/program/inlining.h"

#include <algorithm>
#include <utility>

#include "framework/core/elements.h"
#include "framework/core/raise.h"
#include "framework/ops/op_registry.h"
#include "framework/program/control_flow.h"
#include "framework/program/peeling.h"

namespace loci::program {
namespace {

std::size_t at(VarId id) { return static_cast<std::size_t>(id); }

}  // namespace

Inliner::Inliner(Block& block, HostValue value, bool copies_selected)
    : block_(block), value_(std::move(value)), copies_selected_(copies_selected) {}

VarId Inliner::meaning(VarId id) const {
  const auto found = meanings_.find(id);
  return found == meanings_.end() ? id : found->second;
}

void Inliner::add(Operator op, std::vector<Operator>* into) {
  for (Slot& slot : op.inputs) {
    for (VarId& id : slot) id = meaning(id);
  }
  if (!is_branching(op) || !is_decided(op)) {
    check_present(op);
    if (op.made > 0) check_iterations(op);
    op.name = free_operator_name(op);
    into->push_back(std::move(op));
    return;
  }
  has_replaced_ = true;
  if (is(op, ops::Control::kSelection)) return select(op, into);
  const std::size_t block = chosen(op);
  if (block == kNone) return leave_out(op);
  take(op, *op.blocks[block], into);
}

bool Inliner::is_decided(const Operator& op) const {
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    if (!op.schema->inputs()[slot].decides) continue;
    for (const VarId id : op.inputs[slot]) {
      if (!value_(id).defined()) return false;
    }
  }
  return true;
}

std::int64_t Inliner::number(const Operator& op, VarId id) const {
  const Tensor value = value_(id);
  if (value.numel() != 1) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] {} decides by '{}', which is {}{}; give one "
                "element",
                op.type(), op.name, block_.var(id).name, dtype_name(value.dtype()),
                value.shape().to_string());
  }
  return core::to_integers(value).front();
}

std::size_t Inliner::chosen(const Operator& op) const {
  const Slot& deciding = op.inputs.front();
  if (is(op, ops::Control::kSwitch)) {
    const auto& keys = std::get<std::vector<std::int64_t>>(op.attributes.at("keys"));
    const auto found = std::find(keys.begin(), keys.end(), number(op, deciding.front()));
    return static_cast<std::size_t>(found - keys.begin());
  }
  for (std::size_t i = 0; i < deciding.size(); ++i) {
    if (number(op, deciding[i]) != 0) return i;
  }
  return is(op, ops::Control::kCase) ? deciding.size() : kNone;
}

void Inliner::select(const Operator& op, std::vector<Operator>* into) {
  const Slot& inputs = op.inputs[1];
  const VarId mask = op.inputs[0].front();
  const std::int64_t index = number(op, mask);
  if (index < 0 || index >= static_cast<std::int64_t>(inputs.size())) {
    core::raise(ErrorCode::kInvalidArgument,
                "[select_input] {} has {} inputs, but '{}' is {}; give one in [0, {})", op.name,
                inputs.size(), block_.var(mask).name, index, inputs.size());
  }
  const VarId given = inputs[static_cast<std::size_t>(index)];
  const VarId output = op.outputs[0].front();
  const auto absent = absent_.find(given);
  if (absent != absent_.end()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[select_input] {} selects '{}', which {} did not compute, as its predicate is "
                "false; select by the same predicate",
                op.name, block_.var(given).name, absent->second);
  }
  if (!copies_selected_ && !block_.var(given).persistable) return stand_for(output, given);
  Operator copy;
  copy.schema = &ops::op_registry().get("assign");
  copy.name = op.name;
  copy.inputs = {{given}};
  copy.outputs = op.outputs;
  copy.guard = op.guard;
  copy.role = op.role;
  copy.scope = op.scope;
  copy.origin = op.origin;
  copy.enclosure = std::make_shared<Enclosure>(Enclosure{op.type(), op.name, op.enclosure});
  add(std::move(copy), into);
}

void Inliner::take(const Operator& op, const Block& block, std::vector<Operator>* into) {
  std::vector<VarId> ids = ids_of(op, block);
  const auto enclosure =
      std::make_shared<const Enclosure>(Enclosure{"conditional_block", op.name, op.enclosure});
  for (Operator inner : block.ops) {
    for (Slot& slot : inner.inputs) {
      for (VarId& id : slot) id = ids[at(id)];
    }
    for (Slot& slot : inner.outputs) {
      for (VarId& id : slot) id = ids[at(id)];
    }
    inner.enclosure = enclosure;
    if (inner.scope.empty()) {
      inner.scope = op.scope;
      inner.origin = op.origin;
    }
    add(std::move(inner), into);
  }
  for (std::size_t i = 0; i < block.results.size(); ++i) {
    stand_for(op.outputs[0][i], meaning(ids[at(block.results[i])]));
  }
}

// The variables of this block for those of the branch. A result is the operator's output itself
// where the branch computes it.
std::vector<VarId> Inliner::ids_of(const Operator& op, const Block& block) {
  std::vector<VarId> ids(block.vars.size(), kNoVar);
  const std::vector<VarId> given = block_inputs(op);
  for (std::size_t i = 0; i < given.size(); ++i) ids[at(block.arguments[i])] = given[i];
  for (std::size_t i = 0; i < block.results.size(); ++i) {
    VarId& id = ids[at(block.results[i])];
    if (id == kNoVar) id = op.outputs[0][i];
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == kNoVar) ids[i] = add_local(block.vars[i], op);
  }
  return ids;
}

VarId Inliner::add_local(const VarDesc& local, const Operator& op) {
  VarDesc desc = local;
  for (int number = 0; block_.find(desc.name) != kNoVar; ++number) {
    desc.name = fmt::format("{}@{}", local.name, op.name);
    if (number > 0) desc.name += fmt::format("@{}", number);
  }
  return block_.add_var(std::move(desc));
}

void Inliner::leave_out(const Operator& op) {
  for (const VarId id : op.outputs[0]) absent_[id] = op.name;
}

void Inliner::stand_for(VarId output, VarId value) {
  if (output == value) return;
  meanings_[output] = value;
  block_.index[block_.var(output).name] = value;
}

// Other control flow only hands on what it is given.
void Inliner::check_present(const Operator& op) const {
  if (absent_.empty() || is_branching(op)) return;
  for (const Slot& slot : op.inputs) {
    for (const VarId id : slot) {
      const auto absent = absent_.find(id);
      if (absent == absent_.end()) continue;
      core::raise(ErrorCode::kInvalidArgument,
                  "[{}] {} reads '{}', which {} did not compute, as its predicate is false; choose "
                  "with select_input() or cond()",
                  op.type(), op.name, block_.var(id).name, absent->second);
    }
  }
}

// A gradient computes a branch again, under the names of its operators.
std::string Inliner::free_operator_name(const Operator& op) {
  std::string name = op.name;
  for (int number = 1; !names_.insert(name).second; ++number) {
    name = fmt::format("{}@{}", op.name, number);
  }
  return name;
}

}  // namespace loci::program
