#include "framework/passes/value_origins.h"

namespace loci::passes {

using program::Operator;
using program::Slot;
using program::VarId;

ValueOrigins::ValueOrigins(const program::Block& block, SizeNotes* sizes)
    : block_(block),
      sizes_(sizes),
      makers_(block.vars.size()),
      writes_(block.vars.size()),
      is_read_(block.vars.size()) {
  for (const Operator& op : block.ops) {
    for (const Slot& slot : op.inputs) {
      for (const VarId id : slot) is_read_[at(id)] = true;
    }
    for (const Slot& slot : op.outputs) {
      for (const VarId id : slot) ++writes_[at(id)];
    }
  }
}

void ValueOrigins::note(const Operator& op) {
  for (const Slot& slot : op.outputs) {
    for (const VarId id : slot) makers_[at(id)] = &op;
  }
}

const Operator* ValueOrigins::maker(VarId id) const {
  return var(id).persistable ? nullptr : makers_[at(id)];
}

bool ValueOrigins::is_steady(VarId id) const {
  return writes_[at(id)] == 0 || (writes_[at(id)] == 1 && maker(id) != nullptr);
}

const std::string& ValueOrigins::guard(VarId id) const {
  const Operator* made_by = maker(id);
  return made_by != nullptr ? made_by->guard : var(id).guard;
}

bool ValueOrigins::have_one_type(VarId a, VarId b) const {
  return type(a).shape.is_static() && type(a).shape == type(b).shape &&
         type(a).dtype == type(b).dtype;
}

}  // namespace loci::passes
