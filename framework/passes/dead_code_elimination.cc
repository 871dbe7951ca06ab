#include <algorithm>

#include "framework/passes/pass.h"

namespace loci::passes {
namespace {

using program::Operator;
using program::Slot;
using program::VarId;

class Liveness {
 public:
  explicit Liveness(const PassContext& context) : needed_(context.kept) {}

  // Called from the last operator to the first.
  bool needs(const Operator& op, const program::Block& block) {
    bool needed = false;
    for (const Slot& slot : op.outputs) {
      for (const VarId id : slot) {
        needed = needed || needed_[static_cast<std::size_t>(id)] || block.var(id).persistable;
      }
    }
    if (!needed) return false;
    for (const Slot& slot : op.inputs) {
      for (const VarId id : slot) needed_[static_cast<std::size_t>(id)] = true;
    }
    return true;
  }

 private:
  std::vector<bool> needed_;  // by variable
};

// Removes operators whose outputs nobody reads.
void remove_dead_code(program::Block& block, const PassContext& context) {
  Liveness liveness(context);
  std::vector<Operator> needed;
  for (std::size_t i = block.ops.size(); i-- > 0;) {
    if (liveness.needs(block.ops[i], block)) needed.push_back(std::move(block.ops[i]));
  }
  std::reverse(needed.begin(), needed.end());
  block.ops = std::move(needed);
}

}  // namespace

Pass dead_code_elimination() {
  return {"leaves out what neither a fetch nor state needs", remove_dead_code};
}

}  // namespace loci::passes
