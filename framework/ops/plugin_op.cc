#include "framework/ops/plugin_op.h"

#include <mutex>

#include "framework/ops/op_library.h"
#include "framework/plugin/plugin_manager.h"

namespace loci::ops {

void add_plugin_ops(OpRegistry& registry, plugin::PluginManager& manager) {
  // One at a time, so that two threads do not add the same op.
  static std::mutex adding;
  const std::lock_guard lock(adding);
  for (const OpLibrary* library : manager.brought(kOpsKind)) {
    for (const OpSchema& schema : library->schemas) {
      if (!registry.contains(schema.name())) registry.add(schema);
    }
  }
}

}  // namespace loci::ops
