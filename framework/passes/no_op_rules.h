// Which operators change nothing.
#pragma once

#include "framework/passes/value_origins.h"

namespace loci::passes {

// The value that the operator's first output equals to the bit, on every device; kNoVar if none is
// known. It is an input of the operator, or what this was made of, and a NaN counts as itself
// whatever its payload. `origins` knows the operators before this one.
[[nodiscard]] program::VarId equal_value(const program::Operator& op, const ValueOrigins& origins);

}  // namespace loci::passes
