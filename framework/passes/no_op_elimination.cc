#include <numeric>

#include "framework/passes/joined_moves.h"
#include "framework/passes/no_op_rules.h"
#include "framework/passes/pass.h"

namespace loci::passes {
namespace {

using program::Block;
using program::kNoVar;
using program::Operator;
using program::Slot;
using program::VarId;

class Eliminator {
 public:
  Eliminator(Block& block, const PassContext& context)
      : block_(block), context_(context), origins_(block, context.sizes), same_(block.vars.size()) {
    std::iota(same_.begin(), same_.end(), VarId{0});
  }

  void run() {
    std::vector<Operator> kept;
    kept.reserve(block_.ops.size());  // what is noted must not move
    for (Operator& op : block_.ops) {
      for (Slot& slot : op.inputs) {
        for (VarId& id : slot) id = same_[at(id)];
      }
      join_move(op, origins_);
      if (leave_out(op)) continue;
      kept.push_back(std::move(op));
      origins_.note(kept.back());
    }
    block_.ops = std::move(kept);
  }

 private:
  static std::size_t at(VarId id) { return static_cast<std::size_t>(id); }

  bool leave_out(const Operator& op) {
    const VarId equal = equal_value(op, origins_);
    if (equal == kNoVar || !may_stand_in(equal, op) || !is_free(op)) return false;
    same_[at(op.outputs[0].front())] = equal;
    return true;
  }

  // State that is updated somewhere may be another value by the time a reader comes; and an
  // operator under a guard of its own brings its input there, as the user wants it.
  [[nodiscard]] bool may_stand_in(VarId equal, const Operator& op) const {
    return origins_.is_steady(equal) && origins_.guard(equal) == op.guard &&
           origins_.var(equal).kind == origins_.var(op.outputs[0].front()).kind;
  }

  // Returns true if the operator is needed only because others read its first output.
  [[nodiscard]] bool is_free(const Operator& op) const {
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      for (const VarId id : op.outputs[slot]) {
        if (context_.kept[at(id)] || block_.var(id).persistable) return false;
        if (slot > 0 && origins_.is_read(id)) return false;
      }
    }
    return true;
  }

  Block& block_;
  const PassContext& context_;
  ValueOrigins origins_;
  std::vector<VarId> same_;  // by variable: the one to read instead
};

// Removes operators that change nothing; their readers read what these read. Of transposes in a row
// one is left, and of reshapes.
void eliminate_no_ops(Block& block, const PassContext& context) {
  Eliminator(block, context).run();
}

}  // namespace

Pass no_op_elimination() {
  return {"leaves out operators that change nothing, and joins moves in a row", eliminate_no_ops};
}

}  // namespace loci::passes
