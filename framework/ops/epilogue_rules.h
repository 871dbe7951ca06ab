// What fused products end with: an activation, in the same kernel.
#pragma once

#include <string>

#include "framework/ops/decompose_context.h"
#include "framework/ops/op_schema.h"

namespace loci::ops {

// The attribute "activation": "none", or one of LOCI_ACTIVATIONS in
// loci/plugin/elementwise_functions.hpp.
OpSchema& add_activation(OpSchema& schema);

// What add_activation() calls an operator of that type; empty if it is none of them.
[[nodiscard]] std::string activation_name(const std::string& type, const Attributes& attributes);

// The end of the decomposition: the activation of x that the attribute says.
[[nodiscard]] Value activated(const DecomposeContext& ctx, const Value& x);

}  // namespace loci::ops
