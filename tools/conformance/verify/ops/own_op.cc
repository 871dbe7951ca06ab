#include "tools/conformance/verify/ops/own_op.h"

#include <algorithm>

#include "tools/conformance/verify/subject.h"

namespace loci::verify {
namespace {

// The items of an array whose members have one struct_size, which may be less than this host's.
template <class Item, class Take>
void for_each_item(const Item* items, std::uint64_t count, Take&& take) {
  const auto* bytes = reinterpret_cast<const char*>(items);
  for (std::uint64_t i = 0; i < count; ++i) {
    take(*reinterpret_cast<const Item*>(bytes + i * items->struct_size));
  }
}

// Limits of a JSON number: those that stand for none.
double finite(double limit) { return std::clamp(limit, -1e300, 1e300); }

OwnAttribute describe(const loci_attr_def& def) {
  OwnAttribute attribute;
  attribute.name = view(def.name);
  attribute.kind = def.kind;
  attribute.required = (def.flags & LOCI_ATTR_DEF_REQUIRED) != 0;
  attribute.limited = (def.flags & LOCI_ATTR_DEF_LIMITED) != 0;
  attribute.integer_minimum = def.integer_minimum;
  attribute.integer_maximum = def.integer_maximum;
  attribute.real_minimum = finite(def.real_minimum);
  attribute.real_maximum = finite(def.real_maximum);
  for (std::uint64_t i = 0; i < def.choice_count; ++i) {
    attribute.choices.emplace_back(view(def.choices[i]));
  }
  return attribute;
}

}  // namespace

OwnOp describe_own_op(const loci_op_def& def) {
  OwnOp op;
  op.name = view(def.name);
  op.has_gradient = def.gradient != nullptr;
  for_each_item(def.inputs, def.input_count, [&](const loci_slot_def& slot) {
    op.inputs.push_back({std::string(view(slot.name)), slot.arity, slot.dtype_mask});
  });
  for_each_item(def.outputs, def.output_count, [&](const loci_slot_def& slot) {
    op.updates = op.updates || slot.updates.size > 0;
  });
  for_each_item(def.attrs, def.attr_count,
                [&](const loci_attr_def& attr) { op.attributes.push_back(describe(attr)); });
  return op;
}

}  // namespace loci::verify
