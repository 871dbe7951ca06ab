// Attention over heads, in one op.
#include <loci/ops.hpp>

#include "framework/ops/attention_parts.h"
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/decomposition_rules.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// The softmax takes so many operations for each score.
constexpr std::int64_t kSoftmaxFlops = 5;

void require_heads(const InferContext& ctx, const char* slot) {
  const auto heads = ctx.attr<std::int64_t>("heads");
  const std::int64_t width = ctx.shape(slot)[2];
  if (heads < 1) ctx.fail("heads is {}; give at least 1", heads);
  if (width == 0) ctx.fail("{} has the width 0; give each head at least 1", slot);
  if (width != kDynamicDim && width % heads != 0) {
    ctx.fail("{} heads do not divide the width {} of {}", heads, width, slot);
  }
}

// [batch, heads, queries, keys].
Shape score_shape(const InferContext& ctx) {
  const Shape& query = ctx.shape("query");
  const Shape& key = ctx.shape("key");
  return {merged(query, {key[0], query[1], key[2]})[0], ctx.attr<std::int64_t>("heads"), query[1],
          key[1]};
}

void require_mask(const InferContext& ctx) {
  require_same_dtype(ctx, "query", "mask");
  const Shape scores = score_shape(ctx);
  const auto together = broadcast(scores, ctx.shape("mask"));
  if (together && together->rank() == scores.rank() && compatible(*together, scores)) return;
  ctx.fail("the mask {} is not broadcast to the scores {}, [batch, heads, queries, keys]",
           ctx.shape("mask").to_string(), scores.to_string());
}

void infer_attention(InferContext& ctx) { ctx.set_output("out", attention_type(ctx)); }

Cost cost_of_attention(const InferContext& ctx) { return attention_cost(ctx, 1, 1); }

void decompose_attention(DecomposeContext& ctx) {
  const AttentionParts parts(ctx);
  const auto taken = [&](const char* slot) { return widened(ctx.input(slot)); };
  const Value mask = ctx.input("mask").defined() ? taken("mask") : Value();
  const Value weights =
      parts.weights(parts.scaled(parts.heads(taken("query"))), parts.heads(taken("key")), mask);
  const Value seen = matmul(weights, parts.value_heads(taken("value")));
  ctx.set_output("out", as_dtype(parts.values_together(seen), ctx.type(ctx.input("query")).dtype));
}

// Computes the gradients that are wanted.
void grad_written_out(GradContext& ctx) {
  const AttentionParts parts(ctx);
  const Value mask = ctx.input("mask");
  AttentionGradients grads(parts, ctx.input("query"), ctx.input("key"), mask,
                           ctx.output_grad("out"));
  if (ctx.needs_grad("value")) ctx.set_input_grad("value", grads.value_grad(parts));
  const bool wants_mask = mask.defined() && ctx.needs_grad("mask");
  if (!ctx.needs_grad("query") && !ctx.needs_grad("key") && !wants_mask) return;
  grads.reach_scores(parts, ctx.input("value"));
  if (ctx.needs_grad("query")) ctx.set_input_grad("query", grads.query_grad(parts));
  if (ctx.needs_grad("key")) ctx.set_input_grad("key", grads.key_grad(parts));
  if (wants_mask) {
    ctx.set_input_grad(
        "mask", undo_broadcast(grads.score_grad, mask, GradContext::type(grads.score_grad).shape));
  }
}

// Calls the one op where all that it gives is wanted, and nothing else.
void grad_attention(GradContext& ctx) {
  const Value mask = ctx.input("mask");
  const bool wants_all =
      ctx.needs_grad("query") && ctx.needs_grad("key") && ctx.needs_grad("value");
  if (!wants_all || (mask.defined() && ctx.needs_grad("mask"))) return grad_written_out(ctx);
  const std::vector<Value> grads = OpCall<Value>("attention_grad")
                                       .input("query", ctx.input("query"))
                                       .input("key", ctx.input("key"))
                                       .input("value", ctx.input("value"))
                                       .input("mask", mask)
                                       .input("out_grad", ctx.output_grad("out"))
                                       .attr("heads", ctx.attr<std::int64_t>("heads"))
                                       .attr("factor", ctx.attr<double>("factor"))
                                       .attr("zero_hidden", ctx.attr<bool>("zero_hidden"))
                                       .results();
  ctx.set_input_grad("query", grads[0]);
  ctx.set_input_grad("key", grads[1]);
  ctx.set_input_grad("value", grads[2]);
}

}  // namespace

TensorType attention_type(const InferContext& ctx) {
  for (const char* slot : {"query", "key", "value"}) {
    require_rank(ctx, slot, 3, "[batch, length, width]");
    require_same_dtype(ctx, "query", slot);
    require_heads(ctx, slot);
  }
  const Shape& query = ctx.shape("query");
  const Shape& key = ctx.shape("key");
  const Shape& value = ctx.shape("value");
  require_shape(ctx, "key", {query[0], kDynamicDim, query[2]}, "the batch and width of query");
  require_shape(ctx, "value", {query[0], key[1], kDynamicDim}, "the batch and length of key");
  if (ctx.has_input("mask")) require_mask(ctx);
  const auto factor = ctx.attr<double>("factor");
  if (!std::isfinite(factor)) ctx.fail("factor is {}; give a finite number", factor);
  return {ctx.dtype("query"), {score_shape(ctx)[0], query[1], value[2]}};
}

Cost attention_cost(const InferContext& ctx, std::int64_t query_products,
                    std::int64_t value_products) {
  const Shape scores = score_shape(ctx);
  const std::int64_t heads = std::max<std::int64_t>(scores[1], 1);
  const std::int64_t widths =
      (query_products * ctx.shape("query")[2] + value_products * ctx.shape("value")[2]) / heads;
  return {saturating_product(scores.numel(), 2 * widths + kSoftmaxFlops), argument_bytes(ctx)};
}

void register_attention_ops(OpRegistry& registry) {
  registry.add(
      OpSchema("attention")
          .gradient_uses({"attention_grad", "elementwise_add", "elementwise_mul", "elementwise_sub",
                          "equal", "fill_constant", "matmul", "reduce_max", "reduce_sum",
                          "reduce_sum_like", "reshape", "scale", "softmax", "transpose", "where"})
          .meaning(
              "softmax(factor * query key^T + mask) value for each head; 0 of hidden queries, or "
              "NaN without zero_hidden")
          .accuracy("with d = k + 3 roundoffs of sum |factor * q * k| and 1 of |s|, k products, s "
                    "the score: what softmax has for scores that are off by d, and m + 1 roundoffs "
                    "of sum |weight * value|, m keys")
          .input("query", kFloats)
          .input("key", kFloats)
          .input("value", kFloats)
          .input("mask", kFloats, Arity::kOptional)
          .attr("heads", std::int64_t{1}, "into how many the widths are divided")
          .attr("factor", 0.0, "of Q K^T; 0: 1 / sqrt(width / heads)")
          .attr("zero_hidden", true,
                "whether a query of which all keys are hidden gives 0; else NaN")
          .output("out")
          .infer(infer_attention)
          .gradient(grad_attention)
          .cost(cost_of_attention)
          .batch_rule(rows_of({"query", "key", "value"}))
          .decompose(decompose_attention));
  register_attention_grad(registry);
}

}  // namespace loci::ops
