// Attention over heads, in one op.
#include <algorithm>
#include <cmath>
#include <loci/ops.hpp>

#include "framework/core/raise.h"
#include "framework/ops/cost.h"
#include "framework/ops/decomposition_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/row_rules.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// Of softmax, for each score.
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

void infer_attention(InferContext& ctx) {
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
  ctx.set_output("out", {ctx.dtype("query"), {score_shape(ctx)[0], query[1], value[2]}});
}

Cost cost_of_attention(const InferContext& ctx) {
  const Shape scores = score_shape(ctx);
  const std::int64_t heads = std::max<std::int64_t>(scores[1], 1);
  const std::int64_t widths = (ctx.shape("query")[2] + ctx.shape("value")[2]) / heads;
  return {saturating_product(scores.numel(), 2 * widths + kSoftmaxFlops), argument_bytes(ctx)};
}

// What forward and backward are written in; Context is one of the two.
template <class Context>
class Parts {
 public:
  explicit Parts(const Context& ctx)
      : heads_(ctx.template attr<std::int64_t>("heads")),
        width_(of_one_head(Context::type(ctx.input("query")).shape[2])),
        value_width_(of_one_head(Context::type(ctx.input("value")).shape[2])),
        factor_(ctx.template attr<double>("factor")) {
    if (factor_ != 0) return;
    if (width_ == kDynamicDim) {
      core::raise(ErrorCode::kUnsupported,
                  "[attention] its gradient needs the width of query, which is not known when the "
                  "program is built; give the factor, or the width");
    }
    factor_ = 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(width_, 1)));
  }

  // [batch, length, heads * width] as [batch, heads, length, width].
  [[nodiscard]] Value heads(const Value& x) const { return apart(x, width_); }
  [[nodiscard]] Value value_heads(const Value& x) const { return apart(x, value_width_); }
  // Back.
  [[nodiscard]] Value together(const Value& x) const { return joined(x, width_); }
  [[nodiscard]] Value values_together(const Value& x) const { return joined(x, value_width_); }

  // Of queries that are scaled, where there are fewer elements than in the scores.
  [[nodiscard]] Value scaled(const Value& queries) const { return scale(queries, factor_); }
  static Value weights(const Value& scaled_queries, const Value& keys, const Value& mask) {
    const Value scores = matmul(scaled_queries, keys, false, /*transpose_y=*/true);
    return softmax(mask.defined() ? elementwise_add(scores, mask) : scores);
  }

 private:
  [[nodiscard]] Value apart(const Value& x, std::int64_t width) const {
    return transpose(reshape(x, {0, 0, heads_, width}), {0, 2, 1, 3});
  }
  [[nodiscard]] Value joined(const Value& x, std::int64_t width) const {
    const std::int64_t all = width == kDynamicDim ? -1 : heads_ * width;
    return reshape(transpose(x, {0, 2, 1, 3}), {0, 0, all});
  }
  [[nodiscard]] std::int64_t of_one_head(std::int64_t width) const {
    return width == kDynamicDim ? kDynamicDim : width / heads_;
  }

  std::int64_t heads_;
  std::int64_t width_;
  std::int64_t value_width_;
  double factor_;
};

void decompose_attention(DecomposeContext& ctx) {
  const Parts parts(ctx);
  const auto taken = [&](const char* slot) { return widened(ctx.input(slot)); };
  const Value mask = ctx.input("mask").defined() ? taken("mask") : Value();
  const Value weights = Parts<DecomposeContext>::weights(parts.scaled(parts.heads(taken("query"))),
                                                         parts.heads(taken("key")), mask);
  const Value seen = matmul(weights, parts.value_heads(taken("value")));
  ctx.set_output("out", as_dtype(parts.values_together(seen), ctx.type(ctx.input("query")).dtype));
}

// The weights are computed anew, which takes less memory than keeping them. With P the weights, S
// the scores and O' the gradient: V' = P^T O', P' = O' V^T, Q' = factor S' K, K' = S'^T factor Q.
void grad_attention(GradContext& ctx) {
  const Parts parts(ctx);
  const Value queries = parts.scaled(parts.heads(ctx.input("query")));
  const Value keys = parts.heads(ctx.input("key"));
  const Value mask = ctx.input("mask");
  const Value weights = Parts<GradContext>::weights(queries, keys, mask);
  const Value out_grad = parts.value_heads(ctx.output_grad("out"));
  if (ctx.needs_grad("value")) {
    ctx.set_input_grad("value", parts.values_together(matmul(weights, out_grad, true)));
  }
  const Value weight_grad =
      matmul(out_grad, parts.value_heads(ctx.input("value")), false, /*transpose_y=*/true);
  const Value score_grad = softmax_backward(weights, weight_grad, -1);
  if (ctx.needs_grad("query")) {
    ctx.set_input_grad("query", parts.together(parts.scaled(matmul(score_grad, keys))));
  }
  if (ctx.needs_grad("key")) {
    ctx.set_input_grad("key", parts.together(matmul(score_grad, queries, true)));
  }
  if (mask.defined() && ctx.needs_grad("mask")) {
    ctx.set_input_grad("mask",
                       undo_broadcast(score_grad, mask, GradContext::type(score_grad).shape));
  }
}

}  // namespace

void register_attention_ops(OpRegistry& registry) {
  registry.add(
      OpSchema("attention")
          .gradient_uses({"elementwise_add", "elementwise_mul", "elementwise_sub", "matmul",
                          "reduce_sum", "reduce_sum_like", "reshape", "scale", "softmax",
                          "transpose"})
          .meaning("softmax(factor * query key^T + mask) value for each head")
          .accuracy("with d = k + 3 roundoffs of sum |factor * q * k| and 1 of |s|, k products, s "
                    "the score: what softmax has for scores that are off by d, and m + 1 roundoffs "
                    "of sum |weight * value|, m keys")
          .input("query", kFloats)
          .input("key", kFloats)
          .input("value", kFloats)
          .input("mask", kFloats, Arity::kOptional)
          .attr("heads", std::int64_t{1})
          .attr("factor", 0.0)
          .output("out")
          .infer(infer_attention)
          .gradient(grad_attention)
          .cost(cost_of_attention)
          .rows(rows_of({"query", "key", "value"}))
          .decompose(decompose_attention));
}

}  // namespace loci::ops
