// Products and extremes over dimensions.
#include <algorithm>

#include "framework/ops/batch_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/reduction_rules.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// There is no largest of no elements.
void infer_extreme(InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  const Shape result = reduced_shape(ctx);
  const auto reduced = reduced_axes(ctx, x.rank());
  for (int i = 0; i < x.rank(); ++i) {
    const bool has_outputs = std::find(result.begin(), result.end(), 0) == result.end();
    if (reduced[static_cast<std::size_t>(i)] && x[i] == 0 && has_outputs) {
      ctx.fail("x {} has no elements along axis {}; only a sum or a product of none is defined",
               x.to_string(), i);
    }
  }
  ctx.set_output("out", {ctx.dtype("x"), result});
}

void infer_extreme_grad(InferContext& ctx) {
  require_same_dtype(ctx, "x", "out");
  require_shape(ctx, "out", reduced_shape(ctx), "x reduced over the axes");
  infer_reduce_grad(ctx);
}

Value extreme_grad(const char* op, const Value& x, const Value& out, const Value& out_grad,
                   const Axes& axes, bool keep_dim) {
  return OpCall<Value>(op)
      .input("x", x)
      .input("out", out)
      .input("out_grad", out_grad)
      .attr("axes", axes)
      .attr("keep_dim", keep_dim)
      .result();
}

GradientFn grad_extreme_by(const char* name) {
  return [name](GradContext& ctx) {
    ctx.set_input_grad("x",
                       extreme_grad(name, ctx.input("x"), ctx.output("out"), ctx.output_grad("out"),
                                    ctx.attr<Axes>("axes"), ctx.attr<bool>("keep_dim")));
  };
}

// x_grad = share * out_grad repeated, where the share of each element is what the op makes of ones.
// A step function of x and out.
GradientFn grad_extreme_grad(const char* name) {
  return [name](GradContext& ctx) {
    if (!ctx.needs_grad("out_grad")) return;
    const Axes& axes = ctx.attr<Axes>("axes");
    const bool keep_dim = ctx.attr<bool>("keep_dim");
    const Value out = ctx.input("out");
    const Value share =
        extreme_grad(name, ctx.input("x"), out, full_like(out, 1.0), axes, keep_dim);
    const Value product = elementwise_mul(ctx.output_grad("x_grad"), share);
    ctx.set_input_grad("out_grad", reduce_sum(product, axes, keep_dim));
  };
}

// x_grad = others * out_grad repeated, where `others`, the product of all but one, is what the op
// makes of ones.
void grad_reduce_prod_grad(GradContext& ctx) {
  if (ctx.needs_grad("x")) {
    unsupported_gradient("reduce_prod_grad",
                         "use a product of fewer elements by elementwise_mul")(ctx);
  }
  if (!ctx.needs_grad("out_grad")) return;
  const Axes& axes = ctx.attr<Axes>("axes");
  const bool keep_dim = ctx.attr<bool>("keep_dim");
  const Value ones = full_like(ctx.input("out_grad"), 1.0);
  const Value others = reduce_grad("reduce_prod_grad", ctx.input("x"), ones, axes, keep_dim);
  const Value product = elementwise_mul(ctx.output_grad("x_grad"), others);
  ctx.set_input_grad("out_grad", reduce_sum(product, axes, keep_dim));
}

OpSchema extreme_grad_op(const char* name) {
  return OpSchema(name)
      .input("x", kFloats)
      .input("out", kFloats)
      .input("out_grad", kFloats)
      .attr("axes", Axes{}, "dimensions that are reduced, negative ones from the end; empty: all")
      .attr("keep_dim", false, "whether reduced dimensions stay, with extent 1")
      .output("x_grad")
      .infer(infer_extreme_grad)
      .exact()
      .gradient(grad_extreme_grad(name))
      .batch_rule(rows_beside_axes);
}

}  // namespace

void register_reduce_fold_ops(OpRegistry& registry) {
  registry.add(reduction("reduce_max", kNumbers, grad_extreme_by("reduce_max_grad"))
                   .gradient_uses({"reduce_max_grad"})
                   .meaning("the largest element over the axes, all without any; NaN if one is")
                   .exact()
                   .infer(infer_extreme));
  registry.add(reduction("reduce_min", kNumbers, grad_extreme_by("reduce_min_grad"))
                   .gradient_uses({"reduce_min_grad"})
                   .meaning("the smallest element over the axes, all without any; NaN if one is")
                   .exact()
                   .infer(infer_extreme));
  registry.add(reduction("reduce_prod", kNumbers, grad_by_reduction("reduce_prod_grad"))
                   .gradient_uses({"reduce_prod_grad"})
                   .meaning("the product over the axes, all without any")
                   .accuracy("n roundoffs of |out|, n factors"));
  registry.add(extreme_grad_op("reduce_max_grad")
                   .gradient_uses({"elementwise_mul", "full_like", "reduce_max_grad", "reduce_sum"})
                   .meaning("out_grad where x is out, divided among such elements; NaN is NaN"));
  registry.add(extreme_grad_op("reduce_min_grad")
                   .gradient_uses({"elementwise_mul", "full_like", "reduce_min_grad", "reduce_sum"})
                   .meaning("out_grad where x is out, divided among such elements; NaN is NaN"));
  registry.add(OpSchema("reduce_prod_grad")
                   .meaning("out_grad times the product of the other elements, without a division")
                   .accuracy("n + 2 roundoffs of |x_grad|, n elements")
                   .input("x", kFloats)
                   .input("out_grad", kFloats)
                   .attr("axes", Axes{},
                         "dimensions that are reduced, negative ones from the end; empty: all")
                   .attr("keep_dim", false, "whether reduced dimensions stay, with extent 1")
                   .output("x_grad")
                   .infer(infer_reduce_grad)
                   .gradient(grad_reduce_prod_grad)
                   .batch_rule(rows_beside_axes));
}

}  // namespace loci::ops
