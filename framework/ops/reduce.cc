// Sums, means, products and extremes over dimensions.
#include <algorithm>
#include <array>

#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

using Axes = std::vector<std::int64_t>;

// Which dimensions of x the attribute "axes" names; all if it is empty.
std::array<bool, Shape::kMaxRank> reduced_axes(const InferContext& ctx, int rank) {
  std::array<bool, Shape::kMaxRank> reduced = named_axes(ctx, "axes", rank);
  if (ctx.attr<Axes>("axes").empty()) reduced.fill(true);
  return reduced;
}

Shape reduced_shape(const InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  const auto reduced = reduced_axes(ctx, x.rank());
  const bool keep = ctx.attr<bool>("keep_dim");
  Shape result;
  for (int i = 0; i < x.rank(); ++i) {
    if (!reduced[static_cast<std::size_t>(i)]) {
      result.push_back(x[i]);
    } else if (keep) {
      result.push_back(1);
    }
  }
  return result;
}

void infer_mean(InferContext& ctx) { ctx.set_output("out", {ctx.dtype("x"), Shape{}}); }

void infer_reduce(InferContext& ctx) {
  ctx.set_output("out", {ctx.dtype("x"), reduced_shape(ctx)});
}

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

void infer_reduce_grad(InferContext& ctx) {
  require_same_dtype(ctx, "x", "out_grad");
  require_shape(ctx, "out_grad", reduced_shape(ctx), "x reduced over the axes");
  ctx.set_output("x_grad", ctx.input("x"));
}

void infer_extreme_grad(InferContext& ctx) {
  require_same_dtype(ctx, "x", "out");
  require_shape(ctx, "out", reduced_shape(ctx), "x reduced over the axes");
  infer_reduce_grad(ctx);
}

void infer_reduce_sum_like(InferContext& ctx) {
  require_same_dtype(ctx, "x", "like");
  const auto repeated = broadcast(ctx.shape("like"), ctx.shape("x"));
  if (!repeated || !compatible(*repeated, ctx.shape("x"))) {
    ctx.fail("like {} does not broadcast to x {}", ctx.shape("like").to_string(),
             ctx.shape("x").to_string());
  }
  ctx.set_output("out", {ctx.dtype("x"), ctx.shape("like")});
}

Value reduce_grad(const char* op, const Value& x, const Value& out_grad, const Axes& axes,
                  bool keep_dim) {
  return OpCall<Value>(op)
      .input("x", x)
      .input("out_grad", out_grad)
      .attr("axes", axes)
      .attr("keep_dim", keep_dim)
      .result();
}

void grad_mean(GradContext& ctx) {
  ctx.set_input_grad(
      "x", reduce_grad("reduce_mean_grad", ctx.input("x"), ctx.output_grad("out"), {}, false));
}

// The gradient of a reduction is the op `name`, with the attributes of the reduction.
GradientFn grad_by_reduction(const char* name) {
  return [name](GradContext& ctx) {
    ctx.set_input_grad("x", reduce_grad(name, ctx.input("x"), ctx.output_grad("out"),
                                        ctx.attr<Axes>("axes"), ctx.attr<bool>("keep_dim")));
  };
}

// Repeating and summing are each other's transposes; of x only the shape counts.
void grad_reduce_sum_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  ctx.set_input_grad("out_grad", reduce_sum(ctx.output_grad("x_grad"), ctx.attr<Axes>("axes"),
                                            ctx.attr<bool>("keep_dim")));
}

void grad_reduce_mean_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  ctx.set_input_grad("out_grad", reduce_mean(ctx.output_grad("x_grad"), ctx.attr<Axes>("axes"),
                                             ctx.attr<bool>("keep_dim")));
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

void grad_reduce_sum_like(GradContext& ctx) {
  if (!ctx.needs_grad("x")) return;
  ctx.set_input_grad("x", broadcast_like(ctx.output_grad("out"), ctx.input("x")));
}

Cost cost_of_reduction(const InferContext& ctx) { return reduction_cost(ctx, "x"); }

OpSchema reduction(const char* name, DTypeSet dtypes, GradientFn gradient) {
  return OpSchema(name)
      .input("x", dtypes)
      .attr("axes", Axes{})
      .attr("keep_dim", false)
      .output("out")
      .infer(infer_reduce)
      .gradient(std::move(gradient))
      .cost(cost_of_reduction);
}

OpSchema extreme_grad_op(const char* name) {
  return OpSchema(name)
      .input("x", kFloats)
      .input("out", kFloats)
      .input("out_grad", kFloats)
      .attr("axes", Axes{})
      .attr("keep_dim", false)
      .output("x_grad")
      .infer(infer_extreme_grad)
      .gradient(grad_extreme_grad(name));
}

OpSchema reduction_grad(const char* name, DTypeSet dtypes, GradientFn gradient) {
  return OpSchema(name)
      .input("x", dtypes, Arity::kRequired, Residence::kMetadata)
      .input("out_grad", dtypes)
      .attr("axes", Axes{})
      .attr("keep_dim", false)
      .output("x_grad")
      .infer(infer_reduce_grad)
      .gradient(std::move(gradient));
}

}  // namespace

void register_reduce_ops(OpRegistry& registry) {
  registry.add(OpSchema("mean")
                   .input("x", kFloats)
                   .output("out")
                   .infer(infer_mean)
                   .gradient(grad_mean)
                   .cost(cost_of_reduction));
  registry.add(reduction("reduce_sum", kNumbers, grad_by_reduction("reduce_sum_grad")));
  registry.add(reduction("reduce_mean", kFloats, grad_by_reduction("reduce_mean_grad")));
  // out_grad repeated to the shape of x; the mean's is divided by the number of elements that went
  // into one. Of x only the shape and the dtype are read.
  registry.add(reduction_grad("reduce_sum_grad", kNumbers, grad_reduce_sum_grad));
  registry.add(reduction_grad("reduce_mean_grad", kFloats, grad_reduce_mean_grad));
  registry.add(
      reduction("reduce_max", kNumbers, grad_extreme_by("reduce_max_grad")).infer(infer_extreme));
  registry.add(
      reduction("reduce_min", kNumbers, grad_extreme_by("reduce_min_grad")).infer(infer_extreme));
  registry.add(reduction("reduce_prod", kNumbers, grad_by_reduction("reduce_prod_grad")));
  // out_grad where x is `out`, divided by how many elements of x are; NaN is NaN.
  registry.add(extreme_grad_op("reduce_max_grad"));
  registry.add(extreme_grad_op("reduce_min_grad"));
  // out_grad times the product of the other elements, without dividing, so that zeros do no harm.
  registry.add(OpSchema("reduce_prod_grad")
                   .input("x", kFloats)
                   .input("out_grad", kFloats)
                   .attr("axes", Axes{})
                   .attr("keep_dim", false)
                   .output("x_grad")
                   .infer(infer_reduce_grad)
                   .gradient(grad_reduce_prod_grad));
  // x summed over the dimensions that broadcasting the shape of `like` to that of x would repeat;
  // the result has the shape of `like`.
  registry.add(OpSchema("reduce_sum_like")
                   .input("x", kNumbers)
                   .input("like", kNumbers, Arity::kRequired, Residence::kMetadata)
                   .output("out")
                   .infer(infer_reduce_sum_like)
                   .gradient(grad_reduce_sum_like)
                   .cost(cost_of_reduction));
}

}  // namespace loci::ops
