// "loci.ops" of a plugin as schemas.
#pragma once

#include <string>
#include <vector>

#include "framework/ops/op_schema.h"
#include "framework/plugin/interface_kind.h"

namespace loci::ops {

// A plugin brings these ops.
struct OpLibrary final : plugin::Contribution {
  plugin::Plugin* plugin = nullptr;
  std::vector<OpSchema> schemas;

  [[nodiscard]] std::vector<std::string> names() const override;
};

extern const plugin::Kind<OpLibrary> kOpsKind;

// Throws LoadError if the plugin has no such table, for a table that is incomplete, and for a
// definition that breaks a rule of loci/abi/ops.h.
OpLibrary take_op_library(plugin::Instance& instance, const plugin::Manifest& manifest);

}  // namespace loci::ops
