#include "framework/planning/deferral.h"

#include <algorithm>

namespace loci::planning {
namespace {

bool any_of(const std::vector<program::Slot>& slots, const std::vector<bool>& set) {
  return std::any_of(slots.begin(), slots.end(), [&](const program::Slot& slot) {
    return std::any_of(slot.begin(), slot.end(),
                       [&](program::VarId id) { return set[static_cast<std::size_t>(id)]; });
  });
}

void add_all(const std::vector<program::Slot>& slots, std::vector<bool>* set) {
  for (const program::Slot& slot : slots) {
    for (const program::VarId id : slot) (*set)[static_cast<std::size_t>(id)] = true;
  }
}

}  // namespace

bool Deferral::hangs(const program::Operator& op) const {
  return any_of(op.inputs, written_) || any_of(op.outputs, touched_);
}

void Deferral::add(const program::Operator& op) {
  operators_.push_back(&op);
  add_all(op.outputs, &written_);
  add_all(op.inputs, &touched_);
  add_all(op.outputs, &touched_);
}

}  // namespace loci::planning
