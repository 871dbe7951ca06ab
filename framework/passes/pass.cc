#include "framework/passes/pass.h"

#include <algorithm>

#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/program/control_flow.h"

namespace loci::passes {
namespace {

// A pass may add variables, and let a name stand for another variable.
void follow_names(const program::Block& block, std::vector<bool>* kept) {
  const std::size_t before = kept->size();
  kept->resize(block.vars.size());
  for (std::size_t i = 0; i < before; ++i) {
    if ((*kept)[i]) (*kept)[static_cast<std::size_t>(block.find(block.vars[i].name))] = true;
  }
}

// A block with the types that what it takes has whenever it runs. State keeps its own.
program::Block with_argument_types(const program::Block& block,
                                   const std::vector<ops::TensorType>& types) {
  program::Block typed = block;
  for (std::size_t i = 0; i < typed.arguments.size(); ++i) {
    program::VarDesc& argument = typed.var(typed.arguments[i]);
    if (!argument.persistable) argument.type = types[i];
  }
  return typed;
}

// The blocks of an operator, each on its own: a pass moves nothing into or out of them.
void run_inside(const program::Block& around, program::Operator& op, const PassContext& context,
                const std::vector<std::string>& disabled, const std::string& last) {
  if (op.blocks.empty()) return;
  std::vector<ops::TensorType> types;
  try {
    types = program::argument_types(around, op);
  } catch (const Error&) {
    return;  // refused where the operator is compiled, if it ever runs
  }
  program::edit_blocks(op, [&](program::Block& block) {
    program::Block rewritten = with_argument_types(block, types);
    PassContext inner;
    inner.evaluate = context.evaluate;
    inner.has_kernel = context.has_kernel;
    inner.kept.resize(rewritten.vars.size());
    for (const program::VarId id : block.results) inner.kept[static_cast<std::size_t>(id)] = true;
    try {
      run_passes(rewritten, inner, disabled, last);
      block = std::move(rewritten);
    } catch (const Error&) {
      // Shapes that do not fit are no error in a branch that is not taken.
    }
  });
}

}  // namespace

std::vector<std::string> passes_that_change_bits() {
  std::vector<std::string> names;
  for (const Pass& pass : all_passes()) {
    if (!pass.keeps_bits) names.emplace_back(pass.name);
  }
  return names;
}

void check_pass(const std::string& name) {
  std::vector<std::string> names;
  for (const Pass& pass : all_passes()) names.emplace_back(pass.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  core::raise(ErrorCode::kInvalidArgument, "[passes] there is no pass '{}'{}", name,
              core::suggest(name, names));
}

void run_pass(std::string_view name, program::Block& block, const PassContext& context) {
  check_pass(std::string(name));
  for (const Pass& pass : all_passes()) {
    if (pass.name == name) pass.run(block, context);
  }
}

void run_passes(program::Block& block, const PassContext& context,
                const std::vector<std::string>& disabled, const std::string& last) {
  for (const std::string& name : disabled) check_pass(name);
  if (!last.empty()) check_pass(last);
  PassContext current = context;
  for (const Pass& pass : all_passes()) {
    const bool skipped = std::find(disabled.begin(), disabled.end(), pass.name) != disabled.end();
    if (!skipped) pass.run(block, current);
    follow_names(block, &current.kept);
    if (pass.name == last) break;
  }
  for (program::Operator& op : block.ops) run_inside(block, op, context, disabled, last);
}

void remove_operators(program::Block& block, const std::vector<bool>& is_gone) {
  std::vector<program::Operator> kept;
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    if (!is_gone[i]) kept.push_back(std::move(block.ops[i]));
  }
  block.ops = std::move(kept);
}

bool is_pure(const program::Operator& op, const program::Block& block) {
  if (op.schema->is_random() || !op.blocks.empty()) return false;
  for (const program::Slot& slot : op.outputs) {
    for (const program::VarId id : slot) {
      if (block.var(id).persistable) return false;
    }
  }
  return true;
}

}  // namespace loci::passes
