// The parts that gradients of several families are made of.
#pragma once

#include <loci/ops.hpp>
#include <string>

#include "framework/ops/grad_context.h"
#include "framework/ops/op_schema.h"

namespace loci::ops {

// Calls of the ops that only gradients use; reduce.cc and reshape.cc say what they compute.
[[nodiscard]] Value reduce_sum_like(const Value& x, const Value& like);
[[nodiscard]] Value reshape_like(const Value& x, const Value& like);

// The gradient of a value that was broadcast together with a value of shape `other`: summed over
// what may have been repeated, or `grad` itself if that is surely nothing.
[[nodiscard]] Value undo_broadcast(const Value& grad, const Value& value, const Shape& other);

// A number of the dtype of `like`, of rank 0.
[[nodiscard]] Value constant_like(const Value& like, double value);

// x repeated to the shape of `like`.
[[nodiscard]] Value broadcast_like(const Value& x, const Value& like);

// The gradient of softmax along `axis`, from its result: dx = y * dy - y * sum(y * dy).
[[nodiscard]] Value softmax_backward(const Value& y, const Value& y_grad, int axis);

// a + b, or b if a is undefined.
[[nodiscard]] Value sum_of(const Value& a, const Value& b);

// For an op whose gradient exists but cannot be expressed: throws Error(kUnsupported) where it is
// asked for, so that no gradient is silently zero.
[[nodiscard]] GradientFn unsupported_gradient(std::string op, std::string reason);

}  // namespace loci::ops
