#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/decomposition_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"

namespace loci::ops {
namespace {

// Maximum, difference, exponential (counted as one), sum, quotient.
constexpr std::int64_t kSoftmaxFlops = 5;

void infer_softmax(InferContext& ctx) {
  (void)ctx.axis("axis", ctx.shape("x").rank());
  ctx.set_output("out", ctx.input("x"));
}

// From the result alone, so that x can be freed early.
void grad_softmax(GradContext& ctx) {
  const auto axis = static_cast<int>(ctx.attr<std::int64_t>("axis"));
  ctx.set_input_grad("x", softmax_backward(ctx.output("out"), ctx.output_grad("out"), axis));
}

// dx = dy - softmax sum(dy).
void grad_log_softmax(GradContext& ctx) {
  const Value out_grad = ctx.output_grad("out");
  const Value total = reduce_sum(out_grad, {ctx.attr<std::int64_t>("axis")}, /*keep_dim=*/true);
  const Value spread = elementwise_mul(exp(ctx.output("out")), total);
  ctx.set_input_grad("x", elementwise_sub(out_grad, spread));
}

// x - max, so that no exponential overflows.
Value shifted(const DecomposeContext& ctx) {
  const Value x = widened(ctx.input("x"));
  const Value largest = reduce_max(x, {ctx.attr<std::int64_t>("axis")}, /*keep_dim=*/true);
  return elementwise_sub(x, largest);
}

Value summed(const DecomposeContext& ctx, const Value& x) {
  return reduce_sum(x, {ctx.attr<std::int64_t>("axis")}, /*keep_dim=*/true);
}

void decompose_softmax(DecomposeContext& ctx) {
  const Value powers = exp(shifted(ctx));
  const Value out = elementwise_div(powers, summed(ctx, powers));
  ctx.set_output("out", as_dtype(out, ctx.type(ctx.input("x")).dtype));
}

void decompose_log_softmax(DecomposeContext& ctx) {
  const Value x = shifted(ctx);
  const Value out = elementwise_sub(x, log(summed(ctx, exp(x))));
  ctx.set_output("out", as_dtype(out, ctx.type(ctx.input("x")).dtype));
}

Cost cost_of_softmax(const InferContext& ctx) { return elementwise_cost(ctx, kSoftmaxFlops); }

}  // namespace

void register_softmax_ops(OpRegistry& registry) {
  registry.add(
      OpSchema("softmax")
          .gradient_uses({"elementwise_mul", "elementwise_sub", "reduce_sum"})
          .meaning("exp(x) / sum(exp(x)) along the axis")
          .accuracy("n + 10 + d + sum(out * d) roundoffs of out, d = max(x) - x, n along the axis")
          .input("x", kFloats)
          .attr("axis", std::int64_t{-1},
                "the dimension along which; a negative one counts from the end")
          .output("out")
          .infer(infer_softmax)
          .gradient(grad_softmax)
          .cost(cost_of_softmax)
          .batch_rule(rows_beside_axis("x"))
          .decompose(decompose_softmax));
  registry.add(
      OpSchema("log_softmax")
          .gradient_uses({"elementwise_mul", "elementwise_sub", "exp", "reduce_sum"})
          .meaning("x - log(sum(exp(x))) along the axis")
          .accuracy("2 roundoffs of |out|, and for L = x - out: n + 4 + sum(exp(out) * (m - x)) of "
                    "1, 4 of |L - m|, 1 of |L| and of |m|; m = max(x), n along the axis")
          .input("x", kFloats)
          .attr("axis", std::int64_t{-1},
                "the dimension along which; a negative one counts from the end")
          .output("out")
          .infer(infer_softmax)
          .gradient(grad_log_softmax)
          .cost(cost_of_softmax)
          .batch_rule(rows_beside_axis("x"))
          .decompose(decompose_log_softmax));
}

}  // namespace loci::ops
