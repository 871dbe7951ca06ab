// Running sums and products: each element of a line is that of all up to it.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void infer_cumulative(InferContext& ctx) {
  (void)ctx.axis("axis", ctx.shape("x").rank());
  infer_like_x(ctx);
}

Cost cost_of_cumulative(const InferContext& ctx) { return elementwise_cost(ctx); }

// A run says which elements of a line each result is made of.
struct Run {
  int axis;
  bool exclusive;
  bool reverse;
};

Run run_of(const GradContext& ctx) {
  return {static_cast<int>(ctx.attr<std::int64_t>("axis")), ctx.attr<bool>("exclusive"),
          ctx.attr<bool>("reverse")};
}

Value summed(const Value& x, const Run& run) {
  return cumsum(x, run.axis, run.exclusive, run.reverse);
}

// An element goes into those behind it, so that the gradients of those are summed from the end.
Value summed_back(const Value& grad, const Run& run) {
  return cumsum(grad, run.axis, run.exclusive, !run.reverse);
}

void grad_cumsum(GradContext& ctx) {
  ctx.set_input_grad("x", summed_back(ctx.output_grad("out"), run_of(ctx)));
}

// dx_i = sum_k dy_k y_k / x_i where no zero came before. Products behind the first zero are zero
// for every other element of the line; for the zero itself they are those of a line that has a one
// in its place. Elements behind it have no gradient.
void grad_cumprod(GradContext& ctx) {
  const Run run = run_of(ctx);
  const Value x = ctx.input("x");
  const Value grad = ctx.output_grad("out");
  const Value zero = constant_like(x, 0.0);
  const Value one = constant_like(x, 1.0);
  const Value is_zero = equal(x, zero);
  const Value zeros = summed(cast(is_zero, kInt64), {run.axis, false, run.reverse});
  const Value is_first = logical_and(is_zero, equal(zeros, constant_like(zeros, 1.0)));
  const Value others = cumprod(where(is_first, one, x), run.axis, run.exclusive, run.reverse);
  const Value before = elementwise_div(summed_back(elementwise_mul(grad, ctx.output("out")), run),
                                       where(is_zero, one, x));
  const Value at = summed_back(elementwise_mul(grad, others), run);
  const Value behind = where(is_first, at, zero);
  ctx.set_input_grad("x", where(equal(zeros, constant_like(zeros, 0.0)), before, behind));
}

OpSchema cumulative(const char* name, GradientFn gradient) {
  return OpSchema(name)
      .input("x", kNumbers)
      .attr("axis", std::int64_t{-1}, "along which lines run; a negative one counts from the end")
      .attr("exclusive", false, "leaves each element itself out of its result")
      .attr("reverse", false, "runs from the end of each line")
      .output("out")
      .infer(infer_cumulative)
      .gradient(std::move(gradient))
      .cost(cost_of_cumulative)
      .batch_rule(rows_beside_axis("x"));
}

}  // namespace

void register_cumulative_ops(OpRegistry& registry) {
  registry.add(cumulative("cumsum", grad_cumsum)
                   .gradient_uses({"cumsum"})
                   .meaning("the sum of all elements of the line along the axis up to each, or "
                            "before it if exclusive")
                   .accuracy("n roundoffs of the sum of |x| so far, n terms; integers wrap"));
  registry.add(
      cumulative("cumprod", grad_cumprod)
          .gradient_uses({"cast", "cumprod", "cumsum", "elementwise_div", "elementwise_mul",
                          "equal", "fill_constant", "logical_and", "where"})
          .meaning("the product of all elements of the line along the axis up to each, or "
                   "before it if exclusive")
          .accuracy("n roundoffs of |out|, n factors; integers wrap"));
}

}  // namespace loci::ops
