// The rules that ops which multiply matrices share.
#pragma once

#include "framework/ops/batch_context.h"
#include "framework/ops/infer_context.h"
#include "framework/ops/op_schema.h"

namespace loci::ops {

// The shape of the product of the slots x and y by the attributes transpose_x and transpose_y.
// Fails if they do not fit.
[[nodiscard]] Shape product_shape(const InferContext& ctx);

[[nodiscard]] bool product_rows(BatchContext& ctx);
[[nodiscard]] Cost cost_of_product(const InferContext& ctx);

}  // namespace loci::ops
