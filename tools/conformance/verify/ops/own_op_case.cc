#include "tools/conformance/verify/ops/own_op_case.h"

#include <algorithm>
#include <loci/op_call.hpp>

namespace loci::verify {
namespace {

using conformance::Input;

// How many arguments a variadic slot gets.
constexpr std::size_t kVariadic = 2;

bool takes(const OwnSlot& slot, DType dtype) {
  return (slot.dtype_mask >> static_cast<unsigned>(dtype) & 1) != 0;
}

std::size_t argument_count(const OwnSlot& slot) {
  return slot.arity == LOCI_ARITY_VARIADIC ? kVariadic : 1;
}

DType dtype_for(const OwnSlot& slot, DType wanted) {
  if (takes(slot, wanted)) return wanted;
  for (const DType dtype : conformance::kAllTypes) {
    if (takes(slot, dtype)) return dtype;
  }
  return wanted;  // the op says what is wrong
}

conformance::Generator values_of(DType dtype) {
  return is_floating(dtype) ? conformance::uniform(-2, 2) : conformance::integers(0, 2);
}

std::int64_t made_up_integer(const OwnAttribute& attribute) {
  return attribute.limited
             ? std::clamp<std::int64_t>(1, attribute.integer_minimum, attribute.integer_maximum)
             : 1;
}

double made_up_real(const OwnAttribute& attribute) {
  return attribute.limited ? std::clamp(0.5, attribute.real_minimum, attribute.real_maximum) : 0.5;
}

std::string made_up_text(const OwnAttribute& attribute) {
  return attribute.choices.empty() ? "text" : attribute.choices.front();
}

Attribute made_up(const OwnAttribute& attribute) {
  switch (attribute.kind) {
    case LOCI_ATTR_BOOL: return false;
    case LOCI_ATTR_INT: return made_up_integer(attribute);
    case LOCI_ATTR_FLOAT: return made_up_real(attribute);
    case LOCI_ATTR_STRING: return made_up_text(attribute);
    case LOCI_ATTR_DTYPE: return kFloat32;
    case LOCI_ATTR_INTS: return std::vector<std::int64_t>{made_up_integer(attribute)};
    case LOCI_ATTR_FLOATS: return std::vector<double>{made_up_real(attribute)};
    default: return std::vector<std::string>{made_up_text(attribute)};
  }
}

}  // namespace

const std::vector<Shape>& made_up_shapes() {
  static const std::vector<Shape> kShapes{{3, 5}, {4, 4}, {7},    {2, 3, 4},
                                          {1},    {},     {0, 3}, {33, 65}};
  return kShapes;
}

conformance::Variables call_own_op(const OwnOp& op, const conformance::Variables& inputs) {
  OpCall<Variable> call(op.name);
  std::size_t next = 0;
  for (const OwnSlot& slot : op.inputs) {
    const auto first = inputs.begin() + static_cast<std::ptrdiff_t>(next);
    next += argument_count(slot);
    call.inputs_of(slot.name, {first, inputs.begin() + static_cast<std::ptrdiff_t>(next)});
  }
  for (const OwnAttribute& attribute : op.attributes) {
    if (attribute.required) call.attr(attribute.name, made_up(attribute));
  }
  return call.results();
}

conformance::Case made_up_case(const OwnOp& op, DType dtype, const Shape& shape) {
  conformance::Case made;
  made.op = op.name;
  made.family = "own";
  for (const OwnSlot& slot : op.inputs) {
    const DType own = dtype_for(slot, dtype);
    for (std::size_t i = 0; i < argument_count(slot); ++i) {
      made.inputs.push_back(Input{own, shape, values_of(own), op.updates});
    }
  }
  made.build = [op](const conformance::Variables& in) { return call_own_op(op, in); };
  return made;
}

std::vector<DType> dtypes_of(const OwnOp& op) {
  std::vector<DType> dtypes;
  const auto add = [&](const OwnSlot& slot, auto begin, auto end) {
    std::copy_if(begin, end, std::back_inserter(dtypes),
                 [&](DType dtype) { return takes(slot, dtype); });
  };
  for (const OwnSlot& slot : op.inputs) {
    add(slot, conformance::kFloatTypes.rbegin(), conformance::kFloatTypes.rend());
    if (!dtypes.empty()) return dtypes;
  }
  if (!op.inputs.empty()) {
    add(op.inputs.front(), conformance::kAllTypes.begin(), conformance::kAllTypes.end());
  }
  if (dtypes.empty()) dtypes.push_back(kFloat32);
  return dtypes;
}

}  // namespace loci::verify
