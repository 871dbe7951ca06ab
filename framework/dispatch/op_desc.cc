#include "framework/dispatch/op_desc.h"

#include <type_traits>

#include "framework/core/abi/error.h"
#include "framework/core/key_bytes.h"

namespace loci::dispatch {
namespace {

loci_arg to_arg(const ArgumentType& type, const Shape& shape) {
  loci_arg arg{};
  arg.dims = shape.data();
  arg.dtype = static_cast<loci_dtype>(type.dtype);
  arg.rank = shape.rank();
  arg.layout = type.is_constant ? LOCI_LAYOUT_ANY : type.layout;
  arg.flags = type.is_constant ? LOCI_ARG_CONSTANT : 0;
  arg.residence = type.residence;
  return arg;
}

template <class T>
void append_items(const loci_attr& attr, std::string* bytes) {
  core::append_bytes(attr.item_count, bytes);
  const auto* first = static_cast<const T*>(attr.items);
  for (std::uint64_t i = 0; i < attr.item_count; ++i) {
    if constexpr (std::is_same_v<T, loci_str>) {
      core::append_text(core::from_abi(first[i]), bytes);
    } else {
      core::append_bytes(first[i], bytes);
    }
  }
}

void append_attribute(const loci_attr& attr, std::string* bytes) {
  core::append_text(core::from_abi(attr.name), bytes);
  core::append_bytes(attr.kind, bytes);
  switch (attr.kind) {
    case LOCI_ATTR_FLOAT: return core::append_bytes(attr.real, bytes);
    case LOCI_ATTR_STRING: return core::append_text(core::from_abi(attr.text), bytes);
    case LOCI_ATTR_INTS: return append_items<std::int64_t>(attr, bytes);
    case LOCI_ATTR_FLOATS: return append_items<double>(attr, bytes);
    case LOCI_ATTR_STRINGS: return append_items<loci_str>(attr, bytes);
    default: return core::append_bytes(attr.integer, bytes);
  }
}

void append_types(const std::vector<loci_arg>& args, bool ranks_only, std::string* bytes) {
  core::append_bytes(args.size(), bytes);
  for (const loci_arg& arg : args) {
    core::append_bytes(arg.dtype, bytes);
    core::append_bytes(arg.residence, bytes);
    core::append_bytes(arg.flags, bytes);
    core::append_bytes(arg.layout, bytes);
    core::append_bytes(arg.rank, bytes);
    for (std::int32_t i = 0; i < arg.rank && !ranks_only; ++i)
      core::append_bytes(arg.dims[i], bytes);
  }
}

}  // namespace

template <class SchemaSlot>
void OpDesc::flatten(const std::vector<SchemaSlot>& schema_slots, const ArgumentSlots& from,
                     Arguments* to) {
  std::vector<const ArgumentType*> flat;
  static const ArgumentType& kAbsent = *new ArgumentType;
  to->slots.reserve(schema_slots.size() + 1);
  flat.reserve(schema_slots.size());
  for (std::size_t slot = 0; slot < schema_slots.size(); ++slot) {
    to->slots.push_back(static_cast<std::uint32_t>(flat.size()));
    for (const ArgumentType& type : from[slot]) flat.push_back(&type);
    const bool absent = from[slot].empty() && schema_slots[slot].arity == ops::Arity::kOptional;
    if (absent) flat.push_back(&kAbsent);
  }
  to->slots.push_back(static_cast<std::uint32_t>(flat.size()));
  // The shapes are complete before anything points at them.
  to->shapes.reserve(flat.size());
  to->args.reserve(flat.size());
  for (const ArgumentType* type : flat) to->shapes.push_back(type->shape);
  for (std::size_t i = 0; i < flat.size(); ++i) {
    to->args.push_back(to_arg(*flat[i], to->shapes[i]));
  }
}

OpDesc::OpDesc(const ops::OpSchema& schema, const Attributes& attributes,
               const ArgumentSlots& inputs, const ArgumentSlots& outputs, Holds holds)
    : schema_(schema), attributes_(attributes, holds) {
  flatten(schema.inputs(), inputs, &inputs_);
  flatten(schema.outputs(), outputs, &outputs_);
  abi_.struct_size = sizeof(loci_op_desc);
  abi_.version = static_cast<std::uint32_t>(schema.version());
  abi_.op = core::to_abi(schema.name());
  abi_.attrs = attributes_.data();
  abi_.attr_count = attributes_.size();
  abi_.inputs = inputs_.args.data();
  abi_.outputs = outputs_.args.data();
  abi_.input_slots = inputs_.slots.data();
  abi_.output_slots = outputs_.slots.data();
  abi_.input_slot_count = static_cast<std::uint32_t>(schema.inputs().size());
  abi_.output_slot_count = static_cast<std::uint32_t>(schema.outputs().size());
}

loci_op_desc OpDesc::with_cost() const {
  loci_op_desc priced = abi_;
  if (!schema_.cost_fn()) return priced;
  ops::InferContext context(schema_, arguments_of(inputs_), attributes_.source());
  context.set_outputs(types_of(outputs_));
  const ops::Cost cost = schema_.cost_fn()(context);
  priced.flops = static_cast<std::uint64_t>(cost.flops);
  priced.bytes = static_cast<std::uint64_t>(cost.bytes);
  return priced;
}

std::vector<std::vector<ops::TensorType>> OpDesc::types_of(const Arguments& arguments) {
  std::vector<std::vector<ops::TensorType>> types;
  types.reserve(arguments.slots.size());
  for (std::size_t slot = 0; slot + 1 < arguments.slots.size(); ++slot) {
    std::vector<ops::TensorType>& list = types.emplace_back();
    list.reserve(arguments.slots[slot + 1] - arguments.slots[slot]);
    for (std::uint32_t i = arguments.slots[slot]; i < arguments.slots[slot + 1]; ++i) {
      const auto dtype = static_cast<DType>(arguments.args[i].dtype);
      if (dtype != DType::kNone) list.push_back({dtype, arguments.shapes[i]});
    }
  }
  return types;
}

std::vector<std::vector<ops::InferArgument>> OpDesc::arguments_of(const Arguments& arguments) {
  std::vector<std::vector<ops::InferArgument>> result;
  result.reserve(arguments.slots.size() - 1);
  for (std::size_t slot = 0; slot + 1 < arguments.slots.size(); ++slot) {
    std::vector<ops::InferArgument>& list = result.emplace_back();
    list.reserve(arguments.slots[slot + 1] - arguments.slots[slot]);
    for (std::uint32_t i = arguments.slots[slot]; i < arguments.slots[slot + 1]; ++i) {
      const auto dtype = static_cast<DType>(arguments.args[i].dtype);
      if (dtype != DType::kNone) list.push_back({{dtype, arguments.shapes[i]}, {}, {}});
    }
  }
  return result;
}

bool OpDesc::writes_nothing() const {
  bool writes = false;
  for (std::size_t i = 0; i < outputs_.args.size(); ++i) {
    if (outputs_.args[i].dtype == LOCI_DTYPE_NONE) continue;
    if (outputs_.shapes[i].numel() > 0) return false;
    writes = true;
  }
  return writes;
}

bool OpDesc::draws_from_counted_state() const {
  if (!schema_.is_random()) return false;
  for (std::size_t slot = 0; slot < schema_.inputs().size(); ++slot) {
    if (schema_.inputs()[slot].name != "state") continue;
    return inputs_.shapes[inputs_.slots[slot]] == Shape{3};
  }
  return false;
}

std::string OpDesc::signature(bool ranks_only) const {
  std::string bytes = types(ranks_only);
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    append_attribute(attributes_.data()[i], &bytes);
  }
  return bytes;
}

std::string OpDesc::types(bool ranks_only) const {
  constexpr std::size_t kUsualBytes = 512;
  std::string bytes;
  bytes.reserve(kUsualBytes);
  core::append_text(schema_.name(), &bytes);
  append_types(inputs_.args, ranks_only, &bytes);
  append_types(outputs_.args, ranks_only, &bytes);
  return bytes;
}

}  // namespace loci::dispatch
