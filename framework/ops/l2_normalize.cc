// l2_normalize: vectors along one axis brought to length 1.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/decomposition_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// A product and a sum for the length, a quotient.
constexpr std::int64_t kNormalizeFlops = 3;

// The lengths: one for each vector, float32 for 16-bit elements.
TensorType norm_type(const InferContext& ctx, const TensorType& x) {
  Shape shape = x.shape;
  shape.set(ctx.axis("axis", shape.rank()), 1);
  return {dtype_size(x.dtype) == 2 ? DType::kFloat32 : x.dtype, shape};
}

void infer_l2_normalize(InferContext& ctx) {
  const auto epsilon = ctx.attr<double>("epsilon");
  if (!(epsilon >= 0)) ctx.fail("epsilon is {}; give one that is not negative", epsilon);
  ctx.set_output("norm", norm_type(ctx, ctx.input("x")));
  ctx.set_output("out", ctx.input("x"));
}

void infer_l2_normalize_grad(InferContext& ctx) {
  require_same_dtype(ctx, "out", "out_grad");
  require_shape(ctx, "out_grad", ctx.shape("out"), "the shape of out");
  const TensorType norm = norm_type(ctx, ctx.input("out"));
  require_shape(ctx, "norm", norm.shape, "one for each vector of out");
  if (ctx.dtype("norm") != norm.dtype) {
    ctx.fail("norm is {}; for {} it must be {}", dtype_name(ctx.dtype("norm")),
             dtype_name(ctx.dtype("out")), dtype_name(norm.dtype));
  }
  ctx.set_output("x_grad", {ctx.dtype("out"), merged(ctx.shape("out"), ctx.shape("out_grad"))});
}

Value l2_normalize_grad(const Value& out, const Value& norm, const Value& out_grad,
                        std::int64_t axis) {
  return OpCall<Value>("l2_normalize_grad")
      .input("out", out)
      .input("norm", norm)
      .input("out_grad", out_grad)
      .attr("axis", axis)
      .result();
}

Value cast_like(const Value& x, const Value& like) {
  return as_dtype(x, GradContext::type(like).dtype);
}

// The length changes with x by x / norm, which is `out`.
void grad_l2_normalize(GradContext& ctx) {
  const Value out = ctx.output("out");
  Value grad;
  if (const Value out_grad = ctx.output_grad("out"); out_grad.defined()) {
    grad = l2_normalize_grad(out, ctx.output("norm"), out_grad, ctx.attr<std::int64_t>("axis"));
  }
  if (const Value norm_grad = ctx.output_grad("norm"); norm_grad.defined()) {
    const Value part = elementwise_mul(out, cast_like(norm_grad, out));
    grad = grad.defined() ? elementwise_add(grad, part) : part;
  }
  ctx.set_input_grad("x", grad);
}

// x_grad = (dy - y sum(y dy)) / norm, whose matrix is symmetric. For g, the gradient of x_grad, the
// rest is -(g sum(y dy) + dy sum(y g)) / norm for y and -sum(g x_grad) / norm for norm.
void grad_l2_normalize_grad(GradContext& ctx) {
  const Value grad = ctx.output_grad("x_grad");
  const Value out = ctx.input("out");
  const Value norm = ctx.input("norm");
  const Value out_grad = ctx.input("out_grad");
  const auto axis = ctx.attr<std::int64_t>("axis");
  const auto sum_along = [axis](const Value& a, const Value& b) {
    return reduce_sum(elementwise_mul(a, b), {axis}, /*keep_dim=*/true);
  };
  if (ctx.needs_grad("out_grad")) {
    ctx.set_input_grad("out_grad", l2_normalize_grad(out, norm, grad, axis));
  }
  if (ctx.needs_grad("out")) {
    const Value both = elementwise_add(elementwise_mul(grad, sum_along(out, out_grad)),
                                       elementwise_mul(out_grad, sum_along(out, grad)));
    ctx.set_input_grad("out", scale(elementwise_div(both, cast_like(norm, out)), -1.0));
  }
  if (ctx.needs_grad("norm")) {
    const Value product = cast_like(sum_along(grad, ctx.output("x_grad")), norm);
    ctx.set_input_grad("norm", scale(elementwise_div(product, norm), -1.0));
  }
}

// Normalises x / s, where s is at least 1 and as large as any element, so that no square overflows:
// norm = s sqrt(sum((x / s)^2) + epsilon / s^2).
void decompose_l2_normalize(DecomposeContext& ctx) {
  const Value x = widened(ctx.input("x"));
  const std::vector<std::int64_t> axes{ctx.attr<std::int64_t>("axis")};
  const Value largest = reduce_max(abs(x), axes, /*keep_dim=*/true);
  const Value unit = elementwise_max(largest, constant_like(largest, 1.0));
  const Value small = elementwise_div(x, unit);
  const Value epsilon =
      elementwise_div(constant_like(unit, ctx.attr<double>("epsilon")), square(unit));
  const Value total = reduce_sum(square(small), axes, /*keep_dim=*/true);
  const Value root = sqrt(elementwise_add(total, epsilon));
  ctx.set_output("norm", elementwise_mul(unit, root));
  ctx.set_output("out", cast_like(elementwise_div(small, root), ctx.input("x")));
}

void decompose_l2_normalize_grad(DecomposeContext& ctx) {
  const Value out = widened(ctx.input("out"));
  const Value out_grad = widened(ctx.input("out_grad"));
  const Value along = reduce_sum(elementwise_mul(out, out_grad), {ctx.attr<std::int64_t>("axis")},
                                 /*keep_dim=*/true);
  const Value across = elementwise_sub(out_grad, elementwise_mul(out, along));
  const Value grad = elementwise_div(across, widened(ctx.input("norm")));
  ctx.set_output("x_grad", cast_like(grad, ctx.input("out")));
}

Cost cost_of_normalize(const InferContext& ctx) { return elementwise_cost(ctx, kNormalizeFlops); }

}  // namespace

void register_l2_normalize_ops(OpRegistry& registry) {
  registry.add(
      OpSchema("l2_normalize")
          .gradient_uses({"cast", "elementwise_add", "elementwise_mul", "l2_normalize_grad"})
          .meaning("x / norm, norm = sqrt(sum(x * x) + epsilon) along the axis")
          .accuracy("out: n / 2 + 4 roundoffs of |out|; norm: n / 2 + 2 of norm; n elements along "
                    "the axis")
          .input("x", kFloats)
          .attr("axis", std::int64_t{-1},
                "the dimension along which; a negative one counts from the end")
          .attr("epsilon", 1e-12, "added to the sum of squares")
          .output("out")
          .output("norm")
          .of_dtype(DTypeRule::computed("x"))
          .infer(infer_l2_normalize)
          .gradient(grad_l2_normalize)
          .cost(cost_of_normalize)
          .decompose(decompose_l2_normalize)
          .batch_rule(rows_beside_axis("x")));
  registry.add(OpSchema("l2_normalize_grad")
                   .gradient_uses({"cast", "elementwise_add", "elementwise_div", "elementwise_mul",
                                   "l2_normalize_grad", "reduce_sum", "scale"})
                   .meaning("(out_grad - out * sum(out * out_grad)) / norm along the axis")
                   .accuracy("1 roundoff of |x_grad|; over norm, 2 of |out_grad| and n + 2 of "
                             "|out| * sum |out * out_grad|, n along the axis")
                   .input("out", kFloats)
                   .input("norm", kFloats)
                   .input("out_grad", kFloats)
                   .attr("axis", std::int64_t{-1},
                         "the dimension along which; a negative one counts from the end")
                   .output("x_grad")
                   .infer(infer_l2_normalize_grad)
                   .gradient(grad_l2_normalize_grad)
                   .cost(cost_of_normalize)
                   .decompose(decompose_l2_normalize_grad)
                   .batch_rule(rows_beside_axis("out")));
}

}  // namespace loci::ops
