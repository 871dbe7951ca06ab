#include "framework/tracing/fed_draws.h"

#include <vector>

#include "framework/program/control_flow.h"

namespace loci::tracing {
namespace {

using program::Block;
using program::VarId;

// In the block, and in those within to which it is given.
void retype(Block& block, VarId state) {
  block.rename_var(state, kFedDraws);
  program::VarDesc& desc = block.var(state);
  desc.type.shape = Shape{3};
  desc.persistable = false;
  for (program::Operator& op : block.ops) {
    if (op.blocks.empty()) continue;
    const std::vector<VarId> given = program::block_inputs(op);
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i] != state) continue;
      program::edit_blocks(op, [i](Block& inner) { retype(inner, inner.arguments[i]); });
    }
  }
}

}  // namespace

bool feed_draws(program::ProgramImpl& program) {
  const VarId state = program.main().find(program::kRandomStateName);
  if (state == program::kNoVar) return false;
  retype(program.main(), state);
  program.main().var(state).is_data = true;
  program.touch();
  return true;
}

}  // namespace loci::tracing
