#include "framework/program/compact.h"

#include <utility>

namespace loci::program {
namespace {

template <class Use>
void for_each_use(Block& block, const Use& use) {
  for (Operator& op : block.ops) {
    for (Slot& slot : op.inputs) {
      for (VarId& id : slot) use(id);
    }
    for (Slot& slot : op.outputs) {
      for (VarId& id : slot) use(id);
    }
  }
  for (VarId& id : block.arguments) use(id);
  for (VarId& id : block.results) use(id);
}

}  // namespace

void drop_unused_variables(ProgramImpl* program) {
  Block& block = program->main();
  std::vector<bool> used(block.vars.size());
  for_each_use(block, [&](const VarId id) { used[static_cast<std::size_t>(id)] = true; });
  const std::deque<VarDesc> vars = std::exchange(block.vars, {});
  block.index.clear();
  std::vector<VarId> moved(vars.size(), kNoVar);
  for (std::size_t i = 0; i < vars.size(); ++i) {
    if (used[i] || vars[i].is_data || vars[i].persistable) moved[i] = block.add_var(vars[i]);
  }
  for_each_use(block, [&](VarId& id) { id = moved[static_cast<std::size_t>(id)]; });
  program->touch();
}

}  // namespace loci::program
