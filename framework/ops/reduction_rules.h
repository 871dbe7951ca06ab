// The parts that the reductions over the dimensions of an attribute "axes" have in common: all
// dimensions if it is empty. With "keep_dim" they stay, with an extent of 1.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "framework/ops/grad_context.h"
#include "framework/ops/op_schema.h"

namespace loci::ops {

using Axes = std::vector<std::int64_t>;

// Which dimensions of x go.
std::array<bool, Shape::kMaxRank> reduced_axes(const InferContext& ctx, int rank);
Shape reduced_shape(const InferContext& ctx);

// x, axes, keep_dim -> out, by any number of elements.
OpSchema reduction(const char* name, DTypeSet dtypes, GradientFn gradient);
Cost cost_of_reduction(const InferContext& ctx);

// x, out_grad, axes, keep_dim -> x_grad, of the type of x.
void infer_reduce_grad(InferContext& ctx);
Value reduce_grad(const char* op, const Value& x, const Value& out_grad, const Axes& axes,
                  bool keep_dim);
// The gradient of a reduction is the op `name`, with the attributes of the reduction.
GradientFn grad_by_reduction(const char* name);

}  // namespace loci::ops
