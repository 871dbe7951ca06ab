// The rules that layer_norm and batch_norm share.
#pragma once

#include <string_view>

#include "framework/ops/grad_context.h"
#include "framework/ops/infer_context.h"

namespace loci::ops {

// The dtype in which mean and deviation of values of a floating dtype are computed.
[[nodiscard]] DType statistics_dtype(DType dtype);

// Fails unless the attribute "epsilon" is finite and not negative.
void require_epsilon(const InferContext& ctx);
// Fails unless the slot has that dtype and a compatible shape.
void require_type(const InferContext& ctx, std::string_view slot, const TensorType& expected);

// Throw Error(kUnsupported) if a gradient reaches that output, or if one is wanted for that input
// of a gradient op, so that none is silently zero.
void refuse_gradient_of(const GradContext& ctx, std::string_view op, std::string_view output);
void refuse_second_gradient(const GradContext& ctx, std::string_view op, std::string_view input);

// (x - mean) * inv_std in the dtype of x; the statistics broadcast with x.
[[nodiscard]] Value normalized(const Value& x, const Value& mean, const Value& inv_std);

}  // namespace loci::ops
