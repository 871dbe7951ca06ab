#include <utility>

#include "framework/passes/known_values.h"
#include "framework/passes/pass.h"
#include "framework/program/inlining.h"

namespace loci::passes {
namespace {

// Puts the operators of a branch in place of control flow whose predicates are known, and lets what
// a known mask selects stand for the selection.
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

}  // namespace

Pass known_branches() {
  return {"puts the branch that is surely taken in place of control flow", take_known_branches};
}

}  // namespace loci::passes
