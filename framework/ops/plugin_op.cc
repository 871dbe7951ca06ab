#include "framework/ops/plugin_op.h"

#include <mutex>

namespace loci::ops {
namespace {

Arity arity_of(const plugin::SlotDefinition& slot) {
  switch (slot.arity) {
    case LOCI_ARITY_OPTIONAL: return Arity::kOptional;
    case LOCI_ARITY_VARIADIC: return Arity::kVariadic;
    default: return Arity::kRequired;
  }
}

Residence residence_of(const plugin::SlotDefinition& slot) {
  switch (slot.residence) {
    case LOCI_RESIDENCE_HOST: return Residence::kHost;
    case LOCI_RESIDENCE_METADATA: return Residence::kMetadata;
    default: return Residence::kDevice;
  }
}

DTypeSet dtypes_of(const plugin::SlotDefinition& slot) {
  DTypeSet dtypes;
  for (loci_dtype dtype = LOCI_DTYPE_BOOL; dtype <= LOCI_DTYPE_F64; ++dtype) {
    if ((slot.dtype_mask & LOCI_DTYPE_BIT(dtype)) == 0) continue;
    dtypes = dtypes | DTypeSet{static_cast<DType>(dtype)};
  }
  return dtypes;
}

void add_output(OpSchema& schema, const plugin::SlotDefinition& slot) {
  if (!slot.updates.empty()) {
    schema.updates(slot.name, slot.updates);
  } else if (slot.residence == LOCI_RESIDENCE_HOST) {
    schema.host_output(slot.name);
  } else {
    schema.output(slot.name, arity_of(slot));
  }
}

void add_attribute(OpSchema& schema, const plugin::AttributeRule& rule) {
  std::visit(
      [&](const auto& value) {
        if (rule.required) {
          schema.required_attr(rule.name, value);
        } else {
          schema.attr(rule.name, value);
        }
      },
      rule.default_value);
}

}  // namespace

OpSchema plugin_op(const plugin::OpLibrary& library, const plugin::OpDefinition& op) {
  OpSchema schema(op.name);
  schema.version(op.version).plugin(library.plugin->id());
  for (const plugin::SlotDefinition& slot : op.inputs) {
    schema.input(slot.name, dtypes_of(slot), arity_of(slot), residence_of(slot));
  }
  for (const plugin::SlotDefinition& slot : op.outputs) add_output(schema, slot);
  for (const plugin::AttributeRule& rule : op.attributes) add_attribute(schema, rule);
  if (!op.not_capturable.empty()) schema.not_capturable(op.not_capturable);
  schema.infer(plugin_inference(library, op));
  if (op.gradient != nullptr) schema.gradient(plugin_gradient(library, op));
  return schema;
}

void add_plugin_ops(OpRegistry& registry, plugin::PluginManager& manager) {
  // One at a time, so that two threads do not add the same op.
  static std::mutex adding;
  const std::lock_guard lock(adding);
  for (const plugin::OpLibrary* library : manager.op_libraries()) {
    for (const plugin::OpDefinition& op : library->ops) {
      if (!registry.contains(op.name)) registry.add(plugin_op(*library, op));
    }
  }
}

}  // namespace loci::ops
