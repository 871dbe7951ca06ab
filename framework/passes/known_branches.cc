#include <utility>

#include "framework/passes/known_values.h"
#include "framework/passes/passes.h"
#include "framework/program/inlining.h"

namespace loci::passes {

void take_known_branches(program::Block& block, const PassContext& context) {
  KnownValues values(block, context.evaluate, context.sizes);
  program::Inliner inliner(
      block, [&values](program::VarId id) { return values.value(id); }, /*copies_selected=*/false);
  std::vector<program::Operator> operators;
  for (program::Operator& op : block.ops) {
    std::size_t next = operators.size();
    inliner.add(std::move(op), &operators);
    for (; next < operators.size(); ++next) values.note(operators[next]);
  }
  block.ops = std::move(operators);
  for (program::VarId& id : block.results) id = inliner.meaning(id);
}

}  // namespace loci::passes
