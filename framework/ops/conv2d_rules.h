// The rules that ops which convolve images share.
#pragma once

#include "framework/ops/infer_context.h"
#include "framework/ops/op_schema.h"

namespace loci::ops {

// The shape of the convolution of the slots x and filter by the attributes of the family. Fails if
// they do not fit.
[[nodiscard]] Shape convolved_shape(const InferContext& ctx);

// The attributes of the family, and the cost.
OpSchema& add_convolution_attributes(OpSchema& schema);

}  // namespace loci::ops
