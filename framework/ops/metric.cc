// Ops that measure results; gradients stop here.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/labels.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void infer_argmax(InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  const int axis = ctx.axis("axis", x.rank());
  if (x[axis] == 0) ctx.fail("x has no elements along axis {}; there is no largest one", axis);
  Shape result;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != axis) result.push_back(x[i]);
    if (i == axis && ctx.attr<bool>("keep_dim")) result.push_back(1);
  }
  ctx.set_output("out", {kInt64, result});
}

void infer_accuracy(InferContext& ctx) {
  require_rank(ctx, "x", 2, "[rows, classes]");
  (void)require_labels(ctx, "x", /*soft=*/false);
  const auto k = ctx.attr<std::int64_t>("k");
  const std::int64_t classes = ctx.shape("x")[1];
  if (k < 1 || (classes != kDynamicDim && k > classes)) {
    ctx.fail("k is {}; give one from 1 to the number of classes, {}", k, classes);
  }
  ctx.set_output("out", {kFloat32, Shape{}});
  ctx.set_output("correct", {kInt32, Shape{}});
  ctx.set_output("total", {kInt32, Shape{}});
}

Cost cost_of_scan(const InferContext& ctx) { return reduction_cost(ctx, "x"); }

}  // namespace

void register_metric_ops(OpRegistry& registry) {
  registry.add(OpSchema("argmax")
                   .meaning("the index of the largest element along the axis, the first of several")
                   .exact()
                   .input("x", kNumbers)
                   .attr("axis", std::int64_t{-1},
                         "the dimension along which; a negative one counts from the end")
                   .attr("keep_dim", false, "whether the axis stays, with extent 1")
                   .output("out")
                   .of_dtype(DTypeRule::always(kInt64))
                   .infer(infer_argmax)
                   .cost(cost_of_scan)
                   .batch_rule(rows_beside_axis("x")));
  registry.add(OpSchema("accuracy")
                   .meaning("the share of rows in which the label is among the k largest scores")
                   .exact()
                   .input("x", kFloats)
                   .input("label", kIndices)
                   .attr("k", std::int64_t{1}, "how many of the largest count")
                   .output("out")
                   .of_dtype(DTypeRule::always(kFloat32))
                   .output("correct")
                   .of_dtype(DTypeRule::always(kInt32))
                   .output("total")
                   .of_dtype(DTypeRule::always(kInt32))
                   .infer(infer_accuracy)
                   .cost(cost_of_scan));
}

}  // namespace loci::ops
