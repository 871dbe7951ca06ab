// Ops that plugins define, as schemas.
#pragma once

#include <loci/abi/ops.h>

#include <string>

#include "framework/ops/op_registry.h"
#include "framework/plugin/plugin.h"

namespace loci::plugin {
class PluginManager;
}

namespace loci::ops {

// Whose functions a schema calls, and with what.
struct PluginOp {
  plugin::Plugin* plugin = nullptr;
  const loci_op_def* def = nullptr;  // the plugin's own, for its functions
  loci_op_def functions{};           // of this host's size: what a shorter one lacks is NULL
  std::string name;
};

// Registers those ops of the manager's plugins that the registry lacks. Any thread may call it. The
// manager has to outlive the registry's programs.
void add_plugin_ops(OpRegistry& registry, plugin::PluginManager& manager);

// The parts of an op's schema, for the functions that it has; see loci/abi/ops.h. Errors that these
// return are thrown with the op's name.
InferFn plugin_inference(PluginOp op);
GradientFn plugin_gradient(PluginOp op);
CostFn plugin_cost(PluginOp op);
UpgradeFn plugin_upgrade(PluginOp op);
DecomposeFn plugin_decomposition(PluginOp op);

}  // namespace loci::ops
