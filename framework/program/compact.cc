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

std::vector<VarId> keep_variables(Block& block, std::vector<bool> kept) {
  kept.resize(block.vars.size());
  for_each_use(block, [&](const VarId id) { kept[static_cast<std::size_t>(id)] = true; });
  std::deque<VarDesc> vars = std::exchange(block.vars, {});
  const auto names = std::exchange(block.index, {});
  std::vector<VarId> moved(vars.size(), kNoVar);
  for (std::size_t i = 0; i < vars.size(); ++i) {
    if (!kept[i]) continue;
    moved[i] = static_cast<VarId>(block.vars.size());
    block.vars.push_back(std::move(vars[i]));
  }
  for (const auto& [name, id] : names) {
    const VarId now = moved[static_cast<std::size_t>(id)];
    if (now != kNoVar) block.index.emplace(name, now);
  }
  for_each_use(block, [&](VarId& id) { id = moved[static_cast<std::size_t>(id)]; });
  return moved;
}

void drop_unused_variables(ProgramImpl* program) {
  Block& block = program->main();
  std::vector<bool> kept;
  for (const VarDesc& var : block.vars) kept.push_back(var.is_data || var.persistable);
  keep_variables(block, std::move(kept));
  program->touch();
}

}  // namespace loci::program
