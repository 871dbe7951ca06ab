// The checks of attention and its gradients, and the values that they are written in.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <loci/ops.hpp>

#include "framework/core/raise.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/infer_context.h"
#include "framework/ops/op_registry.h"

namespace loci::ops {

// Checks query, key, value, mask and the attributes. Returns the type of the result.
TensorType attention_type(const InferContext& ctx);

// Counts `products` products of query's width and of value's, one for each score, and the softmax.
Cost attention_cost(const InferContext& ctx, std::int64_t query_products,
                    std::int64_t value_products);

// Heads and weights, as values of a gradient or of a decomposition: Context is one of the two.
template <class Context>
class AttentionParts {
 public:
  explicit AttentionParts(const Context& ctx)
      : heads_(ctx.template attr<std::int64_t>("heads")),
        width_(of_one_head(Context::type(ctx.input("query")).shape[2])),
        value_width_(of_one_head(Context::type(ctx.input("value")).shape[2])),
        factor_(ctx.template attr<double>("factor")),
        zero_hidden_(ctx.template attr<bool>("zero_hidden")) {
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

  // Scales the queries, which have fewer elements than the scores.
  [[nodiscard]] Value scaled(const Value& queries) const { return scale(queries, factor_); }
  [[nodiscard]] Value weights(const Value& scaled_queries, const Value& keys,
                              const Value& mask) const {
    const Value scores = matmul(scaled_queries, keys, false, /*transpose_y=*/true);
    if (!mask.defined()) return softmax(scores);
    const Value masked = elementwise_add(scores, mask);
    return zero_hidden_ ? shown_weights(masked) : softmax(masked);
  }

 private:
  // 0 where a mask hides all keys of a query. Its scores become 0 as well: the softmax of what is
  // there would be NaN, and so would be what goes back through it.
  static Value shown_weights(const Value& scores) {
    const Value level = reduce_max(scores, {-1}, /*keep_dim=*/true);
    const Value is_hidden =
        equal(level, constant_like(scores, -std::numeric_limits<double>::infinity()));
    const Value zero = constant_like(scores, 0.0);
    return where(is_hidden, zero, softmax(where(is_hidden, zero, scores)));
  }
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
  bool zero_hidden_;
};

// In other ops: for masks whose gradient is wanted, and for devices without a kernel. With P the
// weights, S the scores and O' the gradient: V' = P^T O', P' = O' V^T, Q' = factor S' K,
// K' = S'^T factor Q.
struct AttentionGradients {
  template <class Context>
  AttentionGradients(const AttentionParts<Context>& parts, const Value& query, const Value& key,
                     const Value& mask, const Value& out_grad)
      : queries(parts.scaled(parts.heads(query))),
        keys(parts.heads(key)),
        weights(parts.weights(queries, keys, mask)),
        out_grads(parts.value_heads(out_grad)) {}

  // The gradients of weights and scores, which those of query and key need.
  template <class Context>
  void reach_scores(const AttentionParts<Context>& parts, const Value& value) {
    weight_grad = matmul(out_grads, parts.value_heads(value), false, /*transpose_y=*/true);
    score_grad = softmax_backward(weights, weight_grad, -1);
  }

  template <class Context>
  [[nodiscard]] Value query_grad(const AttentionParts<Context>& parts) const {
    return parts.together(parts.scaled(matmul(score_grad, keys)));
  }
  template <class Context>
  [[nodiscard]] Value key_grad(const AttentionParts<Context>& parts) const {
    return parts.together(matmul(score_grad, queries, true));
  }
  template <class Context>
  [[nodiscard]] Value value_grad(const AttentionParts<Context>& parts) const {
    return parts.values_together(matmul(weights, out_grads, true));
  }

  // All by heads; queries are scaled.
  Value queries;
  Value keys;
  Value weights;
  Value out_grads;
  Value weight_grad;
  Value score_grad;
};

// attention_grad, beside attention.
void register_attention_grad(OpRegistry& registry);

}  // namespace loci::ops
