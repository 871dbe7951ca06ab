// The gradients of attention, in one op.
#include <loci/ops.hpp>

#include "framework/ops/attention_parts.h"
#include "framework/ops/batch_rules.h"
#include "framework/ops/decomposition_rules.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// A score takes so many products: one of query and key, two for the gradients of both; and one for
// what reaches the weights, one for the gradient of value.
constexpr std::int64_t kQueryProducts = 3;
constexpr std::int64_t kValueProducts = 2;

void infer_attention_grad(InferContext& ctx) {
  const TensorType out = attention_type(ctx);
  require_same_dtype(ctx, "query", "out_grad");
  require_shape(ctx, "out_grad", out.shape, "the shape of the result");
  ctx.set_output("query_grad", ctx.input("query"));
  ctx.set_output("key_grad", ctx.input("key"));
  ctx.set_output("value_grad", ctx.input("value"));
}

Cost cost_of_attention_grad(const InferContext& ctx) {
  return attention_cost(ctx, kQueryProducts, kValueProducts);
}

void decompose_attention_grad(DecomposeContext& ctx) {
  const AttentionParts parts(ctx);
  const DType dtype = DecomposeContext::type(ctx.input("query")).dtype;
  const auto taken = [&](const char* slot) { return widened(ctx.input(slot)); };
  const Value mask = ctx.input("mask").defined() ? taken("mask") : Value();
  AttentionGradients grads(parts, taken("query"), taken("key"), mask, taken("out_grad"));
  grads.reach_scores(parts, taken("value"));
  ctx.set_output("query_grad", as_dtype(grads.query_grad(parts), dtype));
  ctx.set_output("key_grad", as_dtype(grads.key_grad(parts), dtype));
  ctx.set_output("value_grad", as_dtype(grads.value_grad(parts), dtype));
}

Value row_sums(const Value& x) { return reduce_sum(x, {-1}, /*keep_dim=*/true); }

// The gradients of the gradients. With A, B and C those of Q', K' and V', all by heads, S' the
// gradient of the scores and ' after a name what reaches it:
//   S'' = factor A K^T + factor Q B^T
//   P'' = O' C^T + S'' (P' - sum(P P')) - sum(P S'') P'
// of which softmax's gradient makes what reaches P' and S.
class SecondGradients {
 public:
  explicit SecondGradients(GradContext& ctx)
      : ctx_(ctx),
        parts_(ctx),
        value_(parts_.value_heads(ctx.input("value"))),
        first_(parts_, ctx.input("query"), ctx.input("key"), ctx.input("mask"),
               ctx.input("out_grad")) {
    first_.reach_scores(parts_, ctx.input("value"));
    const auto heads_of = [&](const char* slot, const auto& apart) {
      const Value grad = ctx.output_grad(slot);
      return grad.defined() ? apart(grad) : grad;
    };
    const auto apart = [&](const Value& grad) { return parts_.heads(grad); };
    of_query_ = heads_of("query_grad", apart);
    if (of_query_.defined()) of_query_ = parts_.scaled(of_query_);
    of_key_ = heads_of("key_grad", apart);
    of_value_ = heads_of("value_grad", [&](const Value& grad) { return parts_.value_heads(grad); });
  }

  void run() {
    reach_scores();
    const Value scores = softmax_backward(first_.weights, weight_reach_, -1);
    give("query", [&] { return parts_.together(parts_.scaled(query_reach(scores))); });
    give("key", [&] { return parts_.together(key_reach(scores)); });
    give("value", [&] { return value_reach(); });
    give("out_grad", [&] { return out_grad_reach(); });
    const Value mask = ctx_.input("mask");
    if (!mask.defined()) return;
    give("mask", [&] { return undo_broadcast(scores, mask, GradContext::type(scores).shape); });
  }

 private:
  template <class Make>
  void give(const char* slot, const Make& make) {
    if (!ctx_.needs_grad(slot)) return;
    if (const Value grad = make(); grad.defined()) ctx_.set_input_grad(slot, grad);
  }

  void reach_scores() {
    if (of_value_.defined()) {
      weight_reach_ =
          sum_of(weight_reach_, matmul(first_.out_grads, of_value_, false, /*transpose_y=*/true));
    }
    Value reach;  // S''
    if (of_query_.defined()) reach = sum_of(reach, matmul(of_query_, first_.keys, false, true));
    if (of_key_.defined()) reach = sum_of(reach, matmul(first_.queries, of_key_, false, true));
    if (!reach.defined()) return;
    const Value& weights = first_.weights;
    const Value& grads = first_.weight_grad;
    const Value level = row_sums(elementwise_mul(weights, grads));
    weight_reach_ = sum_of(weight_reach_, elementwise_mul(reach, elementwise_sub(grads, level)));
    const Value slope = row_sums(elementwise_mul(weights, reach));
    weight_reach_ = elementwise_sub(weight_reach_, elementwise_mul(slope, grads));
    weight_grad_reach_ = softmax_backward(weights, reach, -1);
  }

  [[nodiscard]] Value query_reach(const Value& scores) const {
    Value total = matmul(scores, first_.keys);
    if (of_key_.defined()) total = sum_of(total, matmul(first_.score_grad, of_key_));
    return total;
  }
  [[nodiscard]] Value key_reach(const Value& scores) const {
    Value total = matmul(scores, first_.queries, true);
    if (of_query_.defined()) total = sum_of(total, matmul(first_.score_grad, of_query_, true));
    return total;
  }
  [[nodiscard]] Value value_reach() const {
    if (!weight_grad_reach_.defined()) return {};
    return parts_.values_together(matmul(weight_grad_reach_, first_.out_grads, true));
  }
  [[nodiscard]] Value out_grad_reach() const {
    Value total;
    if (of_value_.defined()) total = sum_of(total, matmul(first_.weights, of_value_));
    if (weight_grad_reach_.defined()) total = sum_of(total, matmul(weight_grad_reach_, value_));
    return total.defined() ? parts_.values_together(total) : total;
  }

  GradContext& ctx_;
  AttentionParts<GradContext> parts_;
  Value value_;
  AttentionGradients first_;
  Value of_query_;  // times the factor
  Value of_key_;
  Value of_value_;
  Value weight_reach_;
  Value weight_grad_reach_;
};

void grad_attention_grad(GradContext& ctx) { SecondGradients(ctx).run(); }

}  // namespace

void register_attention_grad(OpRegistry& registry) {
  registry.add(
      OpSchema("attention_grad")
          .gradient_uses({"elementwise_add", "elementwise_mul", "elementwise_sub", "equal",
                          "fill_constant", "matmul", "reduce_max", "reduce_sum", "reduce_sum_like",
                          "reshape", "scale", "softmax", "transpose", "where"})
          .meaning("the gradients of attention, whose weights are computed anew")
          .accuracy("weights as attention has them; of each product of n terms n roundoffs of the "
                    "sum of their sizes")
          .input("query", kFloats)
          .input("key", kFloats)
          .input("value", kFloats)
          .input("mask", kFloats, Arity::kOptional)
          .input("out_grad", kFloats)
          .attr("heads", std::int64_t{1}, "into how many the widths are divided")
          .attr("factor", 0.0, "of Q K^T; 0: 1 / sqrt(width / heads)")
          .attr("zero_hidden", true,
                "whether a query of which all keys are hidden gives 0; else NaN")
          .output("query_grad")
          .output("key_grad")
          .output("value_grad")
          .infer(infer_attention_grad)
          .gradient(grad_attention_grad)
          .cost(cost_of_attention_grad)
          .batch_rule(rows_of({"query", "key", "value", "out_grad"}))
          .decompose(decompose_attention_grad));
}

}  // namespace loci::ops
