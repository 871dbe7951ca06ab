// Sums and means over dimensions.
#include "framework/ops/batch_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/reduction_rules.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void infer_mean(InferContext& ctx) { ctx.set_output("out", {ctx.dtype("x"), Shape{}}); }

void infer_reduce_sum_like(InferContext& ctx) {
  require_same_dtype(ctx, "x", "like");
  const auto repeated = broadcast(ctx.shape("like"), ctx.shape("x"));
  if (!repeated || !compatible(*repeated, ctx.shape("x"))) {
    ctx.fail("like {} does not broadcast to x {}", ctx.shape("like").to_string(),
             ctx.shape("x").to_string());
  }
  ctx.set_output("out", {ctx.dtype("x"), ctx.shape("like")});
}

void grad_mean(GradContext& ctx) {
  ctx.set_input_grad(
      "x", reduce_grad("reduce_mean_grad", ctx.input("x"), ctx.output_grad("out"), {}, false));
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

void grad_reduce_sum_like(GradContext& ctx) {
  if (!ctx.needs_grad("x")) return;
  ctx.set_input_grad("x", broadcast_like(ctx.output_grad("out"), ctx.input("x")));
}

// A sum of n terms, and the division of a mean.
constexpr const char* kSumAccuracy = "n + 2 roundoffs of sum |x|, n terms";
constexpr const char* kMeanAccuracy = "n + 2 roundoffs of mean |x|, n terms";

OpSchema reduction_grad(const char* name, DTypeSet dtypes, GradientFn gradient) {
  return OpSchema(name)
      .input("x", dtypes, Arity::kRequired, Residence::kMetadata)
      .input("out_grad", dtypes)
      .attr("axes", Axes{}, "dimensions that are reduced, negative ones from the end; empty: all")
      .attr("keep_dim", false, "whether reduced dimensions stay, with extent 1")
      .output("x_grad")
      .infer(infer_reduce_grad)
      .gradient(std::move(gradient))
      .batch_rule(rows_beside_axes);
}

void register_reduce_gradients(OpRegistry& registry) {
  // out_grad repeated to the shape of x; the mean's is divided by the number of elements that went
  // into one. Of x only the shape and the dtype are read.
  registry.add(reduction_grad("reduce_sum_grad", kNumbers, grad_reduce_sum_grad)
                   .gradient_uses({"reduce_sum"})
                   .meaning("out_grad repeated to the shape of x")
                   .exact());
  registry.add(
      reduction_grad("reduce_mean_grad", kFloats, grad_reduce_mean_grad)
          .gradient_uses({"reduce_mean"})
          .meaning("out_grad repeated to the shape of x, over the number of elements of each mean")
          .accuracy("2 roundoffs of |x_grad|"));
}

}  // namespace

void register_reduce_ops(OpRegistry& registry) {
  registry.add(OpSchema("mean")
                   .gradient_uses({"reduce_mean_grad"})
                   .meaning("the mean of all elements, of rank 0")
                   .accuracy(kMeanAccuracy)
                   .input("x", kFloats)
                   .output("out")
                   .infer(infer_mean)
                   .gradient(grad_mean)
                   .cost(cost_of_reduction));
  registry.add(reduction("reduce_sum", kNumbers, grad_by_reduction("reduce_sum_grad"))
                   .gradient_uses({"reduce_sum_grad"})
                   .meaning("the sum over the axes, all without any")
                   .accuracy(kSumAccuracy));
  registry.add(reduction("reduce_mean", kFloats, grad_by_reduction("reduce_mean_grad"))
                   .gradient_uses({"reduce_mean_grad"})
                   .meaning("the mean over the axes, all without any")
                   .accuracy(kMeanAccuracy));
  register_reduce_gradients(registry);
  // x summed over the dimensions that broadcasting the shape of `like` to that of x would repeat;
  // the result has the shape of `like`.
  registry.add(
      OpSchema("reduce_sum_like")
          .gradient_uses({"expand_like"})
          .meaning(
              "x summed over the dimensions in which it is larger than like, to the shape of like")
          .accuracy(kSumAccuracy)
          .input("x", kNumbers)
          .input("like", kNumbers, Arity::kRequired, Residence::kMetadata)
          .output("out")
          .infer(infer_reduce_sum_like)
          .gradient(grad_reduce_sum_like)
          .cost(cost_of_reduction)
          .batch_rule(element_rows));
}

}  // namespace loci::ops
