#include "framework/passes/joined_moves.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace loci::passes {
namespace {

using program::kNoVar;
using program::Operator;
using program::VarId;
using Integers = std::vector<std::int64_t>;

bool is_reshape(const Operator& op) {
  constexpr std::array<std::string_view, 5> kTypes = {"flatten", "reshape", "reshape_like",
                                                      "squeeze", "unsqueeze"};
  return std::find(kTypes.begin(), kTypes.end(), op.type()) != kTypes.end();
}

bool has_zero(const Integers& extents) {
  return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

// A 0 copies an extent of the input, which becomes another one.
bool spell_out_copies(Operator& op, const ValueOrigins& origins) {
  const auto shape = op.attributes.find("shape");
  if (shape == op.attributes.end()) return true;
  if (!has_zero(std::get<Integers>(shape->second))) return true;
  const Shape& result = origins.written_type(op.outputs[0].front()).shape;
  if (!result.is_static() || has_zero(result.dims())) return false;
  shape->second = result.dims();
  return true;
}

void join_reshape(Operator& op, const ValueOrigins& origins) {
  // The others say their result by the shape of their input.
  if (op.type() != "reshape" && op.type() != "reshape_like") return;
  const VarId before = reads_lists(op) ? kNoVar : reshaped_from(op, origins);
  if (before == kNoVar || !origins.is_steady(before)) return;
  if (spell_out_copies(op, origins)) op.inputs[0].front() = before;
}

void join_transpose(Operator& op, const ValueOrigins& origins) {
  const Operator* first = origins.maker(op.inputs[0].front());
  if (first == nullptr || first->type() != "transpose" || first->guard != op.guard) return;
  const VarId before = first->inputs[0].front();
  if (!origins.is_steady(before)) return;
  const Integers inner = permutation(*first, origins);
  Integers joined = permutation(op, origins);
  for (std::int64_t& axis : joined) axis = inner[static_cast<std::size_t>(axis)];
  op.attributes["perm"] = joined;
  op.inputs[0].front() = before;
}

}  // namespace

void join_move(Operator& op, const ValueOrigins& origins) {
  if (op.type() == "transpose") {
    join_transpose(op, origins);
  } else if (is_reshape(op)) {
    join_reshape(op, origins);
  }
}

VarId reshaped_from(const Operator& op, const ValueOrigins& origins) {
  const Operator* first = origins.maker(op.inputs[0].front());
  const bool joins = first != nullptr && is_reshape(*first) && first->guard == op.guard;
  return joins ? first->inputs[0].front() : kNoVar;
}

Integers permutation(const Operator& op, const ValueOrigins& origins) {
  Integers perm = std::get<Integers>(op.attributes.at("perm"));
  const std::int64_t rank = origins.type(op.inputs[0].front()).shape.rank();
  for (std::int64_t& axis : perm) axis += axis < 0 ? rank : 0;
  return perm;
}

bool reads_lists(const Operator& op) {
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    if (op.schema->inputs()[slot].gives_extents && !op.inputs[slot].empty()) return true;
  }
  return false;
}

}  // namespace loci::passes
