#include <loci/program.hpp>
#include <utility>

#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/program/block_builder.h"
#include "framework/program/builder.h"
#include "framework/program/printer.h"
#include "framework/program/prune.h"
#include "framework/program/test_form.h"
#include "framework/program/verifier.h"

namespace loci {
inline namespace v0 {
namespace {

const program::VarDesc& desc_of(const Variable& variable) {
  if (!variable.defined()) {
    core::raise(ErrorCode::kInvalidArgument, "[program] the variable is undefined");
  }
  return variable.program()->main().var(variable.id());
}

program::VarDesc& mutable_desc_of(const Variable& variable) {
  (void)desc_of(variable);
  variable.program()->touch();
  return variable.program()->main().var(variable.id());
}

std::vector<program::VarId> ids_in(const program::ProgramImpl& program, const char* what,
                                   const std::vector<Variable>& variables) {
  std::vector<program::VarId> ids;
  for (const Variable& variable : variables) {
    const std::string& name = desc_of(variable).name;
    if (variable.program().get() != &program) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[prune] {} '{}' belongs to another program; take find(\"{}\") of this one", what,
                  name, name);
    }
    ids.push_back(variable.id());
  }
  return ids;
}

// The program that the inputs of a call belong to; null if it has none.
std::shared_ptr<program::ProgramImpl> program_of(const OpCall<Variable>& call) {
  const Variable* first = nullptr;
  for (const auto& slot : call.inputs) {
    for (const Variable& variable : slot.values) {
      if (first == nullptr) first = &variable;
      if (desc_of(variable).name.empty() || variable.program() == first->program()) continue;
      core::raise(ErrorCode::kInvalidArgument,
                  "[{}] '{}' and '{}' belong to different programs; build with variables of one",
                  call.type, first->name(), variable.name());
    }
  }
  return first == nullptr ? nullptr : first->program();
}

std::shared_ptr<program::ProgramImpl> target_of(const OpCall<Variable>& call,
                                                const program::BlockBuilder* block) {
  if (block != nullptr) return block->program();
  const std::shared_ptr<program::ProgramImpl> given = program_of(call);
  if (given == nullptr) return default_main_program().impl();
  if (!given->is_block()) return given;
  core::raise(ErrorCode::kInvalidArgument,
              "[{}] an input belongs to a branch of control flow that is complete; return it from "
              "that branch",
              call.type);
}

}  // namespace

Program::Program() : impl_(std::make_shared<program::ProgramImpl>()) {}

Program::Program(std::shared_ptr<program::ProgramImpl> impl) : impl_(std::move(impl)) {}

Program Program::clone() const { return Program(std::make_shared<program::ProgramImpl>(*impl_)); }

Program Program::clone_for_test() const {
  Program copy = clone();
  program::make_test_form(copy.impl().get());
  return copy;
}

Program Program::prune(const std::vector<Variable>& feeds,
                       const std::vector<Variable>& fetches) const {
  return Program(
      program::prune(*impl_, ids_in(*impl_, "feed", feeds), ids_in(*impl_, "fetch", fetches)));
}

Variable Program::find(const std::string& name) const {
  const program::Block& block = impl_->main();
  const program::VarId id = block.find(name);
  if (id == program::kNoVar) {
    std::vector<std::string> names;
    for (const program::VarDesc& var : block.vars) names.push_back(var.name);
    core::raise(ErrorCode::kNotFound, "[program] there is no variable '{}'{}", name,
                core::suggest(name, names));
  }
  return {impl_, id};
}

std::string Program::to_string() const { return program::to_text(*impl_); }

void Program::verify() const { program::verify(*impl_, "program"); }

Variable::Variable(std::shared_ptr<program::ProgramImpl> program, std::int32_t id)
    : program_(std::move(program)), id_(id) {}

const std::string& Variable::name() const { return desc_of(*this).name; }
void Variable::rename(const std::string& name) const {
  (void)desc_of(*this);
  program_->main().rename_var(id_, name);
  program_->reserve_name(name);
  program_->touch();
}
DType Variable::dtype() const { return desc_of(*this).type.dtype; }
const Shape& Variable::shape() const { return desc_of(*this).type.shape; }
bool Variable::persistable() const { return desc_of(*this).persistable; }
void Variable::set_persistable(bool persistable) const {
  mutable_desc_of(*this).persistable = persistable;
}
bool Variable::stop_gradient() const { return desc_of(*this).stop_gradient; }
void Variable::set_stop_gradient(bool stop) const { mutable_desc_of(*this).stop_gradient = stop; }

std::vector<Variable> emit_op(const OpCall<Variable>& call) {
  program::BlockBuilder* block = program::BlockBuilder::active();
  const std::shared_ptr<program::ProgramImpl> target = target_of(call, block);
  program::OperatorSpec spec;
  spec.type = call.type;
  spec.attributes = call.attributes;
  spec.guard = program::current_guard();
  for (const auto& slot : call.inputs) {
    program::Slot vars;
    for (const Variable& variable : slot.values) {
      vars.push_back(block == nullptr ? variable.id() : block->local(variable));
    }
    spec.inputs.push_back({slot.name, std::move(vars)});
  }
  if (block != nullptr) program::share_random_state(*block, &spec);
  std::vector<Variable> outputs;
  for (const program::VarId id : program::append_operator(*target, spec)) {
    outputs.emplace_back(target, id);
  }
  return outputs;
}

Variable data(const std::string& name, const Shape& shape, DType dtype) {
  if (dtype_size(dtype) == 0) {
    core::raise(ErrorCode::kInvalidArgument, "[data] '{}' needs a dtype, such as kFloat32", name);
  }
  const Program program = default_main_program();
  program::VarDesc desc;
  desc.name = name;
  desc.type = {dtype, shape};
  desc.is_data = true;
  desc.stop_gradient = true;
  const program::VarId id = program.impl()->main().add_var(std::move(desc));
  program.impl()->reserve_name(name);
  program.impl()->touch();
  return {program.impl(), id};
}

}  // namespace v0
}  // namespace loci
