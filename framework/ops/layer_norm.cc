// Normalisation of each row: of what lies behind an axis.
#include <numeric>

#include "framework/core/raise.h"
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/decomposition_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/normalization.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// Mean, centred square, sum, root (once a row), difference, two products and a sum.
constexpr std::int64_t kLayerNormFlops = 8;

int norm_axis(const InferContext& ctx) {
  const auto axis = ctx.attr<std::int64_t>("begin_norm_axis");
  const int rank = ctx.shape("x").rank();
  if (axis >= 0 && axis < rank) return static_cast<int>(axis);
  if (rank == 0) ctx.fail("x has rank 0; there is nothing to normalise over");
  ctx.fail("begin_norm_axis is {}; give one in [0, {})", axis, rank);
}

// Checks what forward and gradient share; returns the axis.
int require_row_arguments(const InferContext& ctx, std::initializer_list<const char*> slots) {
  const int axis = norm_axis(ctx);
  const Shape& x = ctx.shape("x");
  const Shape columns{extent_product(ctx, x, axis, x.rank())};
  for (const char* slot : slots) {
    if (!ctx.has_input(slot)) continue;
    require_same_dtype(ctx, "x", slot);
    require_shape(ctx, slot, columns, "one number for each element of a row");
  }
  return axis;
}

TensorType statistics(const InferContext& ctx, int axis) {
  return {statistics_dtype(ctx.dtype("x")), slice(ctx.shape("x"), 0, axis)};
}

void infer_layer_norm(InferContext& ctx) {
  require_epsilon(ctx);
  const int axis = require_row_arguments(ctx, {"scale", "bias"});
  ctx.set_output("y", ctx.input("x"));
  ctx.set_output("mean", statistics(ctx, axis));
  ctx.set_output("inv_std", statistics(ctx, axis));
}

void infer_layer_norm_grad(InferContext& ctx) {
  const int axis = require_row_arguments(ctx, {"scale", "bias"});
  for (const char* slot : {"mean", "inv_std"}) require_type(ctx, slot, statistics(ctx, axis));
  require_type(ctx, "y_grad", ctx.input("x"));
  ctx.set_output("x_grad", ctx.input("x"));
  if (ctx.has_input("scale")) ctx.set_output("scale_grad", ctx.input("scale"));
  if (ctx.has_input("bias")) ctx.set_output("bias_grad", ctx.input("bias"));
}

// x_grad, and the gradients of scale and bias where those are defined.
std::vector<Value> call_grad(const GradContext& ctx, const Value& mean, const Value& inv_std,
                             const Value& y_grad, const Value& scale, const Value& bias) {
  return OpCall<Value>("layer_norm_grad")
      .input("x", ctx.input("x"))
      .input("mean", mean)
      .input("inv_std", inv_std)
      .input("y_grad", y_grad)
      .input("scale", scale)
      .input("bias", bias)
      .attr("begin_norm_axis", ctx.attr<std::int64_t>("begin_norm_axis"))
      .results();
}

void grad_layer_norm(GradContext& ctx) {
  for (const char* slot : {"mean", "inv_std"}) refuse_gradient_of(ctx, "layer_norm", slot);
  const Value scale = ctx.input("scale");
  const Value bias = ctx.input("bias");
  const std::vector<Value> grads =
      call_grad(ctx, ctx.output("mean"), ctx.output("inv_std"), ctx.output_grad("y"), scale, bias);
  ctx.set_input_grad("x", grads.front());
  if (scale.defined()) ctx.set_input_grad("scale", grads[1]);
  if (bias.defined()) ctx.set_input_grad("bias", grads.back());
}

// One number for each element of a row, so that it broadcasts with x.
Value as_row(const GradContext& ctx, const Value& value) {
  const Shape& x = GradContext::type(ctx.input("x")).shape;
  const auto axis = static_cast<int>(ctx.attr<std::int64_t>("begin_norm_axis"));
  return reshape(value, slice(x, axis, x.rank()).dims());
}

// (x - mean) * inv_std, in the dtype of x.
Value rows_alone(const GradContext& ctx) {
  const TensorType x = GradContext::type(ctx.input("x"));
  std::vector<std::int64_t> rows(static_cast<std::size_t>(x.shape.rank()), 1);
  const auto axis = static_cast<std::size_t>(ctx.attr<std::int64_t>("begin_norm_axis"));
  for (std::size_t i = 0; i < axis; ++i) rows[i] = 0;  // that of the statistics
  const Value means = reshape(ctx.input("mean"), rows);
  return normalized(ctx.input("x"), means, reshape(ctx.input("inv_std"), rows));
}

// All results are linear in y_grad. The map from scale * y_grad to x_grad is its own transpose.
void grad_layer_norm_grad(GradContext& ctx) {
  for (const char* slot : {"x", "scale"}) refuse_second_gradient(ctx, "layer_norm_grad", slot);
  if (!ctx.needs_grad("y_grad")) return;
  Value total;
  const Value scale = ctx.input("scale");
  if (const Value x_grad = ctx.output_grad("x_grad"); x_grad.defined()) {
    total = call_grad(ctx, ctx.input("mean"), ctx.input("inv_std"), x_grad, {}, {}).front();
    if (scale.defined()) total = elementwise_mul(total, as_row(ctx, scale));
  }
  if (const Value grad = ctx.output_grad("scale_grad"); grad.defined()) {
    const Value h = rows_alone(ctx);
    total = sum_of(total, elementwise_mul(h, as_row(ctx, grad)));
  }
  if (const Value grad = ctx.output_grad("bias_grad"); grad.defined()) {
    total = sum_of(total, broadcast_like(as_row(ctx, grad), ctx.input("x")));
  }
  if (total.defined()) ctx.set_input_grad("y_grad", total);
}

// The axes that a row consists of, or those before them.
std::vector<std::int64_t> axes_between(std::int64_t first, std::int64_t end) {
  std::vector<std::int64_t> axes(static_cast<std::size_t>(end - first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

// Each number of a row in the dtype computed in, so that it broadcasts with x.
Value as_wide_row(const DecomposeContext& ctx, const Value& value) {
  const Shape& x = ctx.type(ctx.input("x")).shape;
  const auto axis = static_cast<int>(ctx.attr<std::int64_t>("begin_norm_axis"));
  return widened(reshape(value, slice(x, axis, x.rank()).dims()));
}

void decompose_layer_norm(DecomposeContext& ctx) {
  const TensorType type = ctx.type(ctx.input("x"));
  if (type.shape.numel() == 0) return;  // rows of nothing have the mean 0, and its reduction none
  const std::vector<std::int64_t> row =
      axes_between(ctx.attr<std::int64_t>("begin_norm_axis"), type.shape.rank());
  const Value x = widened(ctx.input("x"));
  const Value mean = reduce_mean(x, row, /*keep_dim=*/true);
  const Value centred = elementwise_sub(x, mean);
  const Value variance = reduce_mean(square(centred), row, /*keep_dim=*/true);
  const Value inv_std = rsqrt(scale(variance, 1.0, ctx.attr<double>("epsilon")));
  Value y = elementwise_mul(centred, inv_std);
  if (const Value factor = ctx.input("scale"); factor.defined()) {
    y = elementwise_mul(y, as_wide_row(ctx, factor));
  }
  if (const Value bias = ctx.input("bias"); bias.defined()) {
    y = elementwise_add(y, as_wide_row(ctx, bias));
  }
  ctx.set_output("y", as_dtype(y, type.dtype));
  ctx.set_output("mean", squeeze(mean, row));
  ctx.set_output("inv_std", squeeze(inv_std, row));
}

// `total` summed over all rows, as a parameter.
Value over_rows(const DecomposeContext& ctx, Value total) {
  const TensorType x = ctx.type(ctx.input("x"));
  const auto axis = static_cast<int>(ctx.attr<std::int64_t>("begin_norm_axis"));
  if (axis > 0) total = reduce_sum(total, axes_between(0, axis));
  return as_dtype(reshape(total, {slice(x.shape, axis, x.shape.rank()).numel()}), x.dtype);
}

void decompose_layer_norm_grad(DecomposeContext& ctx) {
  const TensorType type = ctx.type(ctx.input("x"));
  const auto axis = static_cast<std::size_t>(ctx.attr<std::int64_t>("begin_norm_axis"));
  std::vector<std::int64_t> rows(static_cast<std::size_t>(type.shape.rank()), 1);
  for (std::size_t i = 0; i < axis; ++i) rows[i] = 0;  // that of the statistics
  const Value inv_std = reshape(ctx.input("inv_std"), rows);
  const Value centred = elementwise_sub(widened(ctx.input("x")), reshape(ctx.input("mean"), rows));
  const Value h = elementwise_mul(centred, inv_std);
  const Value y_grad = widened(ctx.input("y_grad"));
  const Value factor = ctx.input("scale");
  const Value g = factor.defined() ? elementwise_mul(y_grad, as_wide_row(ctx, factor)) : y_grad;
  const auto mean = [&](const Value& value) {
    return reduce_mean(value, axes_between(static_cast<std::int64_t>(axis), type.shape.rank()),
                       /*keep_dim=*/true);
  };
  const Value level = elementwise_sub(g, mean(g));
  const Value across = elementwise_sub(level, elementwise_mul(h, mean(elementwise_mul(g, h))));
  ctx.set_output("x_grad", as_dtype(elementwise_mul(across, inv_std), type.dtype));
  if (ctx.output_count("scale_grad") > 0) {
    ctx.set_output("scale_grad", over_rows(ctx, elementwise_mul(y_grad, h)));
  }
  if (ctx.output_count("bias_grad") > 0) ctx.set_output("bias_grad", over_rows(ctx, y_grad));
}

Cost cost_of_layer_norm(const InferContext& ctx) {
  return reduction_cost(ctx, "x", kLayerNormFlops);
}

bool rows_apart(BatchContext& ctx) {
  return ctx.types().attr<std::int64_t>("begin_norm_axis") >= 1 && only_carry(ctx, {"x"});
}

OpSchema layer_norm() {
  return OpSchema("layer_norm")
      .gradient_uses({"layer_norm_grad"})
      .meaning(
          "(x - mean) / sqrt(variance + epsilon) * scale + bias over the "
          "dimensions from begin_norm_axis on")
      .accuracy(
          "mean: n roundoffs of mean |x|, n in a row; inv_std: (n + 11) / 2 of itself; y: "
          "what those have, 4 of |y - bias|, 1 of |y|")
      .input("x", kFloats)
      .input("scale", kFloats, Arity::kOptional)
      .input("bias", kFloats, Arity::kOptional)
      .attr("begin_norm_axis", std::int64_t{1},
            "the first dimension of what is normalised together")
      .attr("epsilon", 1e-5, "added to the variance")
      .output("y")
      .output("mean")
      .of_dtype(DTypeRule::computed("x"))
      .output("inv_std")
      .of_dtype(DTypeRule::computed("x"))
      .infer(infer_layer_norm)
      .gradient(grad_layer_norm)
      .cost(cost_of_layer_norm)
      .decompose(decompose_layer_norm)
      .batch_rule(rows_apart);
}

// With h = (x - mean) * inv_std and g = y_grad * scale, means over a row, sums over all rows:
//   x_grad = inv_std * (g - mean(g) - h * mean(g * h))
//   scale_grad = sum(y_grad * h), bias_grad = sum(y_grad), for those that are given.
// Of the bias only the shape is read.
OpSchema layer_norm_grad() {
  return OpSchema("layer_norm_grad")
      .meaning("the gradients of layer_norm for x, scale and bias")
      .accuracy(
          "x_grad: inv_std * (8 roundoffs of |g|, n + 8 of mean |g|, n + 12 of |h| * mean |g * "
          "h|), "
          "n in a row; scale_grad: m + 3 of sum |y_grad * h|, m rows; bias_grad: m of sum "
          "|y_grad|; "
          "g = y_grad * scale, h = (x - mean) * inv_std")
      .input("x", kFloats)
      .input("mean", kFloats)
      .input("inv_std", kFloats)
      .input("y_grad", kFloats)
      .input("scale", kFloats, Arity::kOptional)
      .input("bias", kFloats, Arity::kOptional, Residence::kMetadata)
      .attr("begin_norm_axis", std::int64_t{1},
            "the first dimension of what is normalised together")
      .output("x_grad")
      .output("scale_grad", Arity::kOptional)
      .output("bias_grad", Arity::kOptional)
      .infer(infer_layer_norm_grad)
      .gradient(grad_layer_norm_grad)
      .cost(cost_of_layer_norm)
      .decompose(decompose_layer_norm_grad);
}

}  // namespace

void register_layer_norm_ops(OpRegistry& registry) {
  registry.add(layer_norm());
  registry.add(layer_norm_grad());
}

}  // namespace loci::ops
