// The elements of each line that come first in order, and all of them.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// Steps of a comparison sort, for each element of x.
constexpr std::int64_t kSortFlops = 16;

void set_outputs(InferContext& ctx, const Shape& shape) {
  ctx.set_output("values", {ctx.dtype("x"), shape});
  ctx.set_output("indices", {kInt64, shape});
}

void infer_topk(InferContext& ctx) {
  Shape shape = ctx.shape("x");
  const int axis = ctx.axis("axis", shape.rank());
  const auto k = ctx.attr<std::int64_t>("k");
  const std::int64_t extent = shape[axis];
  if (k < 0 || (extent != kDynamicDim && k > extent)) {
    ctx.fail("k is {}; give one from 0 to the extent of axis {}, {}", k, axis, extent);
  }
  shape.set(axis, k);
  set_outputs(ctx, shape);
}

void infer_sort(InferContext& ctx) {
  (void)ctx.axis("axis", ctx.shape("x").rank());
  set_outputs(ctx, ctx.shape("x"));
}

Cost cost_of_topk(const InferContext& ctx) { return reduction_cost(ctx, "x"); }
Cost cost_of_sort(const InferContext& ctx) { return reduction_cost(ctx, "x", kSortFlops); }

// No position of a line is chosen twice, so that each sum is of one gradient.
void grad_of_chosen(GradContext& ctx) {
  const Value grad = ctx.output_grad("values");
  if (!grad.defined()) return;
  const Value zeros = full_like(ctx.input("x"), 0.0);
  ctx.set_input_grad("x",
                     scatter_elements(zeros, ctx.output("indices"), grad,
                                      static_cast<int>(ctx.attr<std::int64_t>("axis")), "add"));
}

OpSchema choice(const char* name) {
  return OpSchema(name)
      .gradient_uses({"full_like", "scatter_elements"})
      .exact()
      .input("x", kNumbers)
      .attr("axis", std::int64_t{-1}, "along which lines run; a negative one counts from the end")
      .gradient(grad_of_chosen)
      .batch_rule(rows_beside_axis("x"));
}

OpSchema with_outputs(OpSchema schema) {
  return std::move(schema)
      .output("values")
      .of_dtype(DTypeRule::as("x"))
      .output("indices")
      .of_dtype(DTypeRule::always(kInt64));
}

}  // namespace

void register_topk_ops(OpRegistry& registry) {
  registry.add(
      with_outputs(choice("topk")
                       .meaning("the k largest elements along the axis, or smallest, and "
                                "where; NaN is the largest, the first of equals first")
                       .attr("k", std::int64_t{1}, "how many of each line, from 0 to its extent")
                       .attr("largest", true, "false: the smallest")
                       .attr("sorted", true, "false: in any order"))
          .infer(infer_topk)
          .cost(cost_of_topk));
  registry.add(with_outputs(choice("sort")
                                .meaning("the elements along the axis in order, and where each "
                                         "was; NaN is the largest, equals keep their order")
                                .attr("descending", false, "the largest first"))
                   .infer(infer_sort)
                   .cost(cost_of_sort));
}

}  // namespace loci::ops
