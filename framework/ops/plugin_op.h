// Ops that plugins define, as schemas.
#pragma once

#include "framework/ops/op_registry.h"
#include "framework/plugin/op_definition.h"
#include "framework/plugin/plugin_manager.h"

namespace loci::ops {

// The schema of an op of that library, which stays where it is as long as the schema is used. What
// its functions return as errors is thrown with the op's name.
OpSchema plugin_op(const plugin::OpLibrary& library, const plugin::OpDefinition& op);

// Registers those ops of the manager's plugins that the registry lacks. Any thread may call it. The
// manager has to outlive the registry's programs.
void add_plugin_ops(OpRegistry& registry, plugin::PluginManager& manager);

// What plugin_op() is made of; see loci/abi/ops.h.
InferFn plugin_inference(const plugin::OpLibrary& library, const plugin::OpDefinition& op);
GradientFn plugin_gradient(const plugin::OpLibrary& library, const plugin::OpDefinition& op);

}  // namespace loci::ops
