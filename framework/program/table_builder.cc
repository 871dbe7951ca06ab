#include "framework/program/table_builder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "framework/core/quote.h"
#include "framework/core/raise.h"
#include "framework/ops/op_registry.h"
#include "framework/program/borrowed_parameter.h"
#include "framework/program/prune.h"

namespace loci::program {
namespace {

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  core::raise(ErrorCode::kInvalidArgument, "[builder] {}",
              fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace

TableBuilder::TableBuilder() : ops::ProgramBuilder(appender_) {}

// The innermost first.
TableBuilder::~TableBuilder() {
  while (!open_.empty()) open_.pop_back();
}

std::vector<ops::Value> TableBuilder::Appender::emit(const OpCall<ops::Value>& call) {
  return owner_.emit({call, {}, {}, {}});
}

ops::TensorType TableBuilder::Appender::type(ops::Value value) const {
  const Variable& variable = owner_.variables_[static_cast<std::size_t>(value.id)];
  return variable.program()->main().var(variable.id()).type;
}

BlockBuilder* TableBuilder::innermost() const {
  return open_.empty() ? nullptr : open_.back().get();
}

const std::shared_ptr<ProgramImpl>& TableBuilder::target() const {
  return open_.empty() ? program_ : open_.back()->program();
}

VarId TableBuilder::local(ops::Value value) const {
  const Variable& variable = variables_[static_cast<std::size_t>(value.id)];
  if (BlockBuilder* block = innermost()) return block->local(variable);
  if (variable.program() == program_) return variable.id();
  refuse("'{}' is a value of a block that is complete; return it from that block", variable.name());
}

ops::Value TableBuilder::add(Variable variable) {
  variables_.push_back(std::move(variable));
  return {&appender_, static_cast<std::int32_t>(variables_.size()) - 1};
}

// One that no operator computes.
VarId TableBuilder::add_to_program(VarDesc desc) {
  const std::string name = desc.name;
  const VarId id = program_->main().add_var(std::move(desc));
  program_->reserve_name(name);
  program_->touch();
  return id;
}

loci_value TableBuilder::input(const std::string& name, const ops::TensorType& type) {
  if (!open_.empty()) refuse("a block is open; inputs are the program's, so declare them outside");
  VarDesc desc;
  desc.name = name;
  desc.type = type;
  desc.is_data = true;
  desc.stop_gradient = true;
  inputs_.push_back(add_to_program(std::move(desc)));
  return id(add({program_, inputs_.back()}));
}

loci_value TableBuilder::parameter(const loci_parameter& parameter) {
  BorrowedParameter borrowed = borrow_parameter(parameter);
  const std::string name = borrowed.desc.name;
  const VarId var = add_to_program(std::move(borrowed.desc));
  parameters_.emplace(name, std::move(borrowed.tensor));
  return id(add({program_, var}));
}

void TableBuilder::output(loci_value value) {
  const Variable& variable = variables_[static_cast<std::size_t>(values({value}).front().id)];
  if (variable.program() != program_) {
    refuse(
        "'{}' is a value of a block, and an output is one of the program; return it from the "
        "block",
        variable.name());
  }
  if (std::find(outputs_.begin(), outputs_.end(), variable.id()) != outputs_.end()) {
    refuse("'{}' is marked as an output twice", variable.name());
  }
  outputs_.push_back(variable.id());
}

const std::vector<loci_value>& TableBuilder::block_begin(const std::vector<loci_value>& values) {
  std::vector<VarId> outside;
  for (const ops::Value value : this->values(values)) outside.push_back(local(value));
  auto block = std::make_unique<BlockBuilder>(target());
  std::vector<Variable> given;
  for (const VarId id : outside) {
    given.push_back(block->add_argument(target()->main().var(id)));
  }
  value_counts_.push_back(values.size());
  open_.push_back(std::move(block));
  arguments_.clear();
  for (Variable& variable : given) arguments_.push_back(id(add(std::move(variable))));
  return arguments_;
}

loci_block TableBuilder::block_end(const std::vector<loci_value>& results) {
  if (open_.empty()) refuse("no block is open, and one is closed");
  std::vector<Variable> returned;
  for (const ops::Value value : values(results)) {
    returned.push_back(variables_[static_cast<std::size_t>(value.id)]);
  }
  // A loop has values, and hands on what its body gives; branches give what the program keeps.
  const bool is_loop = value_counts_.back() > 0;
  Closed closed{open_.back()->close(returned, /*copies_state=*/!is_loop), value_counts_.back(),
                nullptr};
  open_.pop_back();
  value_counts_.pop_back();
  closed.outer = target();
  closed_.push_back(std::move(closed));
  return static_cast<loci_block>(closed_.size()) - 1;
}

void TableBuilder::check_names(const ops::BuilderCall& call) const {
  if (operator_names_.count(call.name) > 0) {
    refuse("there is an operator named {} already; give {} another name", core::quote(call.name),
           call.op.type);
  }
}

TableBuilder::Closed& TableBuilder::closed(loci_block id, const std::string& op) {
  if (id < 0 || id >= static_cast<loci_block>(closed_.size())) {
    refuse("{} is given the block {}; there are {}", op, id, closed_.size());
  }
  Closed& found = closed_[static_cast<std::size_t>(id)];
  if (found.is_owned) refuse("{} is given the block {}, which an operator has already", op, id);
  if (found.outer != target()) {
    refuse("{} is given the block {}, which was built in another block than it is in", op, id);
  }
  return found;
}

void TableBuilder::take_blocks(const ops::BuilderCall& call, OperatorSpec* spec) {
  BlockSet set(target());
  // Copies: an operator that is refused leaves them as they are.
  for (const loci_block id : call.blocks) {
    const Closed& given = closed(id, spec->type);
    set.add(given.block, given.value_count);
  }
  spec->blocks = set.take();
  spec->inputs.push_back({"captures", set.captures()});
}

std::vector<ops::Value> TableBuilder::emit(ops::BuilderCall call) {
  check_names(call);
  const ops::OpSchema& schema = ops::op_registry().get(call.op.type);
  OperatorSpec spec;
  spec.type = call.op.type;
  spec.name = call.name;
  spec.attributes = call.op.attributes;
  spec.guard = current_guard();
  spec.output_names = call.output_names;
  for (const auto& slot : call.op.inputs) {
    Slot vars;
    for (const ops::Value& value : slot.values) vars.push_back(local(value));
    spec.inputs.push_back({slot.name, std::move(vars)});
  }
  if (!call.blocks.empty()) {
    if (schema.control() == ops::Control::kNone || schema.control() == ops::Control::kSelection) {
      refuse("{} is given {} block(s), and owns none", schema.name(), call.blocks.size());
    }
    take_blocks(call, &spec);
  }
  if (BlockBuilder* block = innermost()) share_random_state(*block, &spec);
  std::vector<ops::Value> outputs;
  for (const VarId id : append_operator(*target(), spec)) outputs.push_back(add({target(), id}));
  operator_names_.insert(target()->main().ops.back().name);
  for (const std::string& name : call.output_names) target()->reserve_name(name);
  if (!call.name.empty()) target()->reserve_name(call.name);
  for (const loci_block id : call.blocks) closed_[static_cast<std::size_t>(id)].is_owned = true;
  return outputs;
}

BuiltProgram TableBuilder::take() {
  if (!open_.empty()) refuse("{} block(s) are open at the end; close them", open_.size());
  if (outputs_.empty()) refuse("the program has no output; mark one");
  BuiltProgram built;
  built.program = prune(*program_, inputs_, outputs_);
  for (auto& [name, tensor] : parameters_) {
    if (built.program->main().find(name) == kNoVar) continue;
    built.parameters.emplace(name, std::move(tensor));
  }
  parameters_.clear();
  return built;
}

}  // namespace loci::program
