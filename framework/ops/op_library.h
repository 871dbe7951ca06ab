// "loci.ops" of a plugin as schemas.
#pragma once

#include <vector>

#include "framework/ops/op_schema.h"
#include "framework/plugin/op_owners.h"

namespace loci::ops {

// What plugin::take_op_library() makes.
struct PluginOps {
  std::vector<OpSchema> schemas;
};

}  // namespace loci::ops
