#include "framework/passes/no_op_rules.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/passes/joined_moves.h"
#include "framework/passes/uniform_number.h"

namespace loci::passes {
namespace {

using program::kNoVar;
using program::Operator;
using program::VarId;
using Integers = std::vector<std::int64_t>;
using Rule = VarId (*)(const Operator& op, const ValueOrigins& origins);

template <class T>
const T& attribute(const Operator& op, const char* name) {
  return std::get<T>(op.attributes.at(name));
}

VarId first_input(const Operator& op) { return op.inputs[0].front(); }
VarId output(const Operator& op) { return op.outputs[0].front(); }

bool keeps_type(const Operator& op, const ValueOrigins& origins) {
  return origins.have_one_type(first_input(op), output(op));
}

VarId assigned(const Operator& op, const ValueOrigins&) { return first_input(op); }

// Serves operators that leave the order of elements as it was: the shape says it all.
VarId in_same_shape(const Operator& op, const ValueOrigins& origins) {
  if (reads_lists(op)) return kNoVar;
  if (keeps_type(op, origins)) return first_input(op);
  const VarId before = reshaped_from(op, origins);
  return before != kNoVar && origins.have_one_type(before, output(op)) ? before : kNoVar;
}

VarId expanded(const Operator& op, const ValueOrigins& origins) {
  return !reads_lists(op) && keeps_type(op, origins) ? first_input(op) : kNoVar;
}

// An extent that stays is taken whole, if not backwards.
VarId sliced(const Operator& op, const ValueOrigins& origins) {
  const auto& steps = attribute<Integers>(op, "steps");
  const bool goes_back =
      std::any_of(steps.begin(), steps.end(), [](std::int64_t step) { return step < 0; });
  return goes_back ? kNoVar : expanded(op, origins);
}

// Pads that add up to nothing may move elements.
VarId not_padded(const Operator& op, const ValueOrigins&) {
  const auto& pads = attribute<Integers>(op, "pads");
  const bool is_whole =
      std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad == 0; });
  return is_whole ? first_input(op) : kNoVar;
}

VarId transposed(const Operator& op, const ValueOrigins& origins) {
  const Integers perm = permutation(op, origins);
  for (std::size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<std::int64_t>(i)) return kNoVar;
  }
  return first_input(op);
}

VarId only_one(const Operator& op, const ValueOrigins&) {
  return op.inputs[0].size() == 1 && op.outputs[0].size() == 1 ? first_input(op) : kNoVar;
}

// How many bits of an integer the dtype holds, sign included; of a whole number, a floating one.
int whole_bits(DType dtype) {
  switch (dtype) {
    case DType::kBFloat16: return 9;
    case DType::kFloat16: return 12;
    case DType::kFloat32: return 25;
    case DType::kFloat64: return 54;
    default: return static_cast<int>(8 * dtype_size(dtype));
  }
}

// Returns true if a floating dtype has every number of the other.
bool holds_floats(DType wide, DType narrow) {
  return wide == DType::kFloat64 ||
         (wide == DType::kFloat32 && (narrow == DType::kFloat16 || narrow == DType::kBFloat16));
}

// Integers keep their bits in any integer that is as long, as conversions wrap.
bool comes_back(DType from, DType by) {
  if (from == DType::kBool) return true;
  if (is_floating(from)) return is_floating(by) && holds_floats(by, from);
  if (by == DType::kBool) return false;
  const bool is_unsigned = from == DType::kUInt8 || from == DType::kUInt16 ||
                           from == DType::kUInt32 || from == DType::kUInt64;
  const int needed = whole_bits(from) + (is_floating(by) && is_unsigned ? 1 : 0);
  return whole_bits(by) >= needed;
}

VarId converted(const Operator& op, const ValueOrigins& origins) {
  const VarId x = first_input(op);
  const DType dtype = attribute<DType>(op, "dtype");
  if (origins.type(x).dtype == dtype) return x;
  const Operator* before = origins.maker(x);
  if (before == nullptr || before->type() != "cast" || before->guard != op.guard) return kNoVar;
  const VarId first = first_input(*before);
  const bool same = origins.type(first).dtype == dtype && comes_back(dtype, origins.type(x).dtype);
  return same ? first : kNoVar;
}

// x + 0.0 makes 0.0 of -0.0, so that of floats only x + -0.0 is x.
VarId scaled(const Operator& op, const ValueOrigins& origins) {
  const VarId x = first_input(op);
  const auto bias = attribute<double>(op, "bias");
  if (attribute<double>(op, "scale") != 1.0 || bias != 0.0) return kNoVar;
  return is_floating(origins.type(x).dtype) && !std::signbit(bias) ? kNoVar : x;
}

// In test mode the kernel multiplies by 1, or by 1 - p.
VarId not_dropped(const Operator& op, const ValueOrigins&) {
  if (!attribute<bool>(op, "is_test")) return kNoVar;
  const bool upscales = attribute<std::string>(op, "mode") == "upscale_in_train";
  return upscales || attribute<double>(op, "p") == 0.0 ? first_input(op) : kNoVar;
}

std::optional<double> uniform_value(VarId id, const ValueOrigins& origins) {
  const Operator* maker = origins.maker(id);
  return maker == nullptr ? std::nullopt : uniform_number(*maker, origins.type(id).dtype);
}

// Returns true if x, broadcast together with y, keeps its shape.
bool keeps_shape(VarId x, VarId y, const Operator& op, const ValueOrigins& origins) {
  if (origins.have_one_type(x, output(op))) return true;
  const Shape& shape = origins.type(y).shape;
  return shape.rank() <= origins.type(x).shape.rank() && shape.is_static() && shape.numel() == 1;
}

using IsNeutral = bool (*)(double value, bool of_floats);

bool is_one(double value, bool) { return value == 1.0; }
bool is_added_zero(double value, bool of_floats) {
  return value == 0.0 && (!of_floats || std::signbit(value));
}
bool is_subtracted_zero(double value, bool of_floats) {
  return value == 0.0 && (!of_floats || !std::signbit(value));
}

bool is_neutral_for(VarId x, VarId y, const Operator& op, const ValueOrigins& origins,
                    IsNeutral is_neutral) {
  const std::optional<double> value = uniform_value(y, origins);
  return value && is_neutral(*value, is_floating(origins.type(x).dtype)) &&
         keeps_shape(x, y, op, origins);
}

template <IsNeutral kIsNeutral>
VarId with_neutral_right(const Operator& op, const ValueOrigins& origins) {
  const VarId x = op.inputs[0].front();
  return is_neutral_for(x, op.inputs[1].front(), op, origins, kIsNeutral) ? x : kNoVar;
}

template <IsNeutral kIsNeutral>
VarId with_neutral(const Operator& op, const ValueOrigins& origins) {
  const VarId x = op.inputs[0].front();
  const VarId y = op.inputs[1].front();
  if (is_neutral_for(x, y, op, origins, kIsNeutral)) return x;
  return is_neutral_for(y, x, op, origins, kIsNeutral) ? y : kNoVar;
}

Rule rule_of(const std::string& type) {
  static const auto& kRules = *new std::unordered_map<std::string_view, Rule>{
      {"assign", assigned},
      {"cast", converted},
      {"concat", only_one},
      {"crop_tensor", expanded},
      {"dropout", not_dropped},
      {"elementwise_add", with_neutral<is_added_zero>},
      {"elementwise_div", with_neutral_right<is_one>},
      {"elementwise_mul", with_neutral<is_one>},
      {"elementwise_sub", with_neutral_right<is_subtracted_zero>},
      {"expand", expanded},
      {"expand_like", expanded},
      {"flatten", in_same_shape},
      {"pad", not_padded},
      {"reshape", in_same_shape},
      {"reshape_like", in_same_shape},
      {"scale", scaled},
      {"slice", sliced},
      {"split", only_one},
      {"squeeze", in_same_shape},
      {"sum", only_one},
      {"tile", expanded},
      {"transpose", transposed},
      {"unsqueeze", in_same_shape},
  };
  const auto found = kRules.find(type);
  return found == kRules.end() ? nullptr : found->second;
}

}  // namespace

VarId equal_value(const Operator& op, const ValueOrigins& origins) {
  const Rule rule = rule_of(op.type());
  return rule == nullptr ? kNoVar : rule(op, origins);
}

}  // namespace loci::passes
