#include "framework/passes/size_notes.h"

#include <algorithm>
#include <loci/error.hpp>
#include <utility>

namespace loci::passes {
namespace {

using program::Operator;
using program::Slot;
using program::VarId;

std::size_t index_in_types(VarId id) { return static_cast<std::size_t>(id); }

// Pairs of an extent before and now. Equal ones stay equal and different ones different, just if
// each extent is in one pair.
class ExtentPairs {
 public:
  // False if the shapes differ in more than extents.
  bool add(const Shape& before, const Shape& now) {
    if (before.rank() != now.rank()) return false;
    for (int axis = 0; axis < before.rank(); ++axis) {
      if (is_special(before[axis]) || is_special(now[axis])) {
        if (before[axis] != now[axis]) return false;
      } else if (pairs_.empty() || pairs_.back() != std::pair(before[axis], now[axis])) {
        pairs_.emplace_back(before[axis], now[axis]);
      }
    }
    return true;
  }

  bool are_one_to_one() {
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    const auto same_before = [](const Pair& a, const Pair& b) { return a.first == b.first; };
    if (std::adjacent_find(pairs_.begin(), pairs_.end(), same_before) != pairs_.end()) return false;
    std::sort(pairs_.begin(), pairs_.end(),
              [](const Pair& a, const Pair& b) { return a.second < b.second; });
    const auto same_now = [](const Pair& a, const Pair& b) { return a.second == b.second; };
    return std::adjacent_find(pairs_.begin(), pairs_.end(), same_now) == pairs_.end();
  }

 private:
  using Pair = std::pair<std::int64_t, std::int64_t>;

  // Unknown, empty, or one that broadcasts.
  static bool is_special(std::int64_t extent) { return extent < 2; }

  std::vector<Pair> pairs_;
};

std::vector<std::vector<ops::InferArgument>> arguments_of(const Operator& op,
                                                          const SizeNotes::Types& types) {
  std::vector<std::vector<ops::InferArgument>> arguments(op.inputs.size());
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    arguments[slot].reserve(op.inputs[slot].size());
    for (const VarId id : op.inputs[slot])
      arguments[slot].push_back({types[index_in_types(id)], {}, {}});
  }
  return arguments;
}

}  // namespace

bool SizeNotes::is_below(VarId id, const Shape& shape, std::int64_t limit) {
  comparisons_.push_back({id, limit, shape.numel() < limit});
  return comparisons_.back().is_below;
}

// Types within control flow, and those that it gives, are not followed.
void SizeNotes::note_types(const program::Block& block) {
  is_complete_ = std::all_of(block.ops.begin(), block.ops.end(),
                             [](const Operator& op) { return op.blocks.empty(); });
  if (!is_complete_) return;
  ops_ = block.ops;
  for (const program::VarDesc& var : block.vars) {
    types_.push_back(var.type);
    persistable_.push_back(var.persistable);
  }
}

std::optional<SizeNotes::Types> SizeNotes::types_if_alike(const Shapes& data) const {
  if (!is_complete_) return std::nullopt;
  try {
    Types types = types_for(data);
    return are_alike(types) ? std::optional(std::move(types)) : std::nullopt;
  } catch (const Error&) {
    // A shape that does not fit is refused where operators have names.
    return std::nullopt;
  }
}

SizeNotes::Types SizeNotes::types_for(const Shapes& data) const {
  Types types = types_;
  for (const auto& [id, shape] : data) types[index_in_types(id)].shape = shape;
  for (const Operator& op : ops_) {
    ops::InferContext context(*op.schema, arguments_of(op, types), op.attributes);
    context.run();
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      for (std::size_t i = 0; i < op.outputs[slot].size(); ++i) {
        const std::size_t id = index_in_types(op.outputs[slot][i]);
        if (!persistable_[id]) types[id] = context.outputs()[slot][i];
      }
    }
  }
  return types;
}

// Variables that passes add have no types here, and are never the same.
bool SizeNotes::is_same(const Fixed& fixed, const Types& types) const {
  if (index_in_types(fixed.id) >= types.size()) return false;
  const Shape& before = types_[index_in_types(fixed.id)].shape;
  const Shape& now = types[index_in_types(fixed.id)].shape;
  return fixed.axis == kAllAxes ? before == now : before[fixed.axis] == now[fixed.axis];
}

bool SizeNotes::is_same(const Comparison& made, const Types& types) {
  if (index_in_types(made.id) >= types.size()) return false;
  const Shape& shape = types[index_in_types(made.id)].shape;
  return shape.is_static() && (shape.numel() < made.limit) == made.is_below;
}

bool SizeNotes::are_alike(const Types& types) const {
  ExtentPairs extents;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].dtype != types_[i].dtype) return false;
    if (!extents.add(types_[i].shape, types[i].shape)) return false;
  }
  const auto is_alike = [&](const auto& note) { return is_same(note, types); };
  return extents.are_one_to_one() && std::all_of(fixed_.begin(), fixed_.end(), is_alike) &&
         std::all_of(comparisons_.begin(), comparisons_.end(), is_alike);
}

}  // namespace loci::passes
