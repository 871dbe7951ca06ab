// The definition of a plugin's op as a schema.
#pragma once

#include <loci/abi/ops.h>

#include "framework/ops/op_schema.h"
#include "framework/plugin/plugin.h"

namespace loci::ops {

// The schema that the definition says; both arguments stay where they are as long as it is used.
// Throws LoadError(kIncompatible) with the op's name and the rule of loci/abi/ops.h that it breaks.
OpSchema take_op_definition(plugin::Plugin& plugin, const loci_op_def& def);

}  // namespace loci::ops
