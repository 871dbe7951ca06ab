// Fused products end with an activation, in the same kernel: the rules for it.
#pragma once

#include <string>

#include "framework/ops/decompose_context.h"
#include "framework/ops/op_schema.h"

namespace loci::ops {

// The attribute "activation": "none", or one of LOCI_ACTIVATIONS in
// loci/plugin/elementwise_functions.hpp.
OpSchema& add_activation(OpSchema& schema);

// The name that add_activation() has for an operator of that type; empty if it is none of them.
[[nodiscard]] std::string activation_name(const std::string& type, const Attributes& attributes);

// The end of the decomposition: the activation of x that the attribute says.
[[nodiscard]] Value activated(const DecomposeContext& ctx, const Value& x);

}  // namespace loci::ops
