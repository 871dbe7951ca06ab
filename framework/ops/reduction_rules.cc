#include "framework/ops/reduction_rules.h"

#include <utility>

#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void infer_reduce(InferContext& ctx) {
  ctx.set_output("out", {ctx.dtype("x"), reduced_shape(ctx)});
}

}  // namespace

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

void infer_reduce_grad(InferContext& ctx) {
  require_same_dtype(ctx, "x", "out_grad");
  require_shape(ctx, "out_grad", reduced_shape(ctx), "x reduced over the axes");
  ctx.set_output("x_grad", ctx.input("x"));
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

GradientFn grad_by_reduction(const char* name) {
  return [name](GradContext& ctx) {
    ctx.set_input_grad("x", reduce_grad(name, ctx.input("x"), ctx.output_grad("out"),
                                        ctx.attr<Axes>("axes"), ctx.attr<bool>("keep_dim")));
  };
}

Cost cost_of_reduction(const InferContext& ctx) { return reduction_cost(ctx, "x"); }

OpSchema reduction(const char* name, DTypeSet dtypes, GradientFn gradient) {
  return OpSchema(name)
      .input("x", dtypes)
      .attr("axes", Axes{}, "dimensions that are reduced, negative ones from the end; empty: all")
      .attr("keep_dim", false, "whether reduced dimensions stay, with extent 1")
      .output("out")
      .infer(infer_reduce)
      .gradient(std::move(gradient))
      .cost(cost_of_reduction)
      .batch_rule(rows_beside_axes);
}

}  // namespace loci::ops
