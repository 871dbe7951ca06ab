// The parts that decompositions of several families are made of.
#pragma once

#include <loci/ops.hpp>

#include "framework/ops/decompose_context.h"

namespace loci::ops {

// x in that dtype; x itself if it has it.
[[nodiscard]] Value as_dtype(const Value& x, DType dtype);

// x in the dtype that kernels compute in, which is float32 for 16-bit elements: what an operator is
// written in rounds no more often than its own kernels do.
[[nodiscard]] Value widened(const Value& x);

}  // namespace loci::ops
