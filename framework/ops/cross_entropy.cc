// Classification losses. Gradients stop at hard labels.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/decomposition_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/labels.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// The softmax and the logarithm of its sum.
constexpr std::int64_t kFusedFlops = 6;

Shape loss_shape(const InferContext& ctx, std::string_view scores) {
  return require_labels(ctx, scores, ctx.attr<bool>("soft_label"));
}

void infer_cross_entropy(InferContext& ctx) {
  ctx.set_output("out", {ctx.dtype("x"), loss_shape(ctx, "x")});
}

void infer_fused(InferContext& ctx) {
  ctx.set_output("softmax", ctx.input("logits"));
  ctx.set_output("loss", {ctx.dtype("logits"), loss_shape(ctx, "logits")});
}

// Infers a gradient op that has `scores`, their labels and the gradient of the losses.
void infer_grad(InferContext& ctx, std::string_view scores, std::string_view loss_grad,
                std::string_view result) {
  require_same_dtype(ctx, scores, loss_grad);
  require_shape(ctx, loss_grad, loss_shape(ctx, scores), "one number for each row");
  ctx.set_output(result, ctx.input(scores));
}

Value call_grad(const GradContext& ctx, OpCall<Value> call) {
  return call.input("label", ctx.input("label"))
      .attr("soft_label", ctx.attr<bool>("soft_label"))
      .attr("ignore_index", ctx.attr<std::int64_t>("ignore_index"))
      .result();
}

// The loss is linear in soft labels.
void set_label_grad(GradContext& ctx, const Value& log_shares, const char* loss) {
  const Value slope = scale(log_shares, -1.0);
  ctx.set_input_grad("label", elementwise_mul(ctx.output_grad(loss), slope));
}

bool wants_label_grad(const GradContext& ctx) {
  return ctx.attr<bool>("soft_label") && ctx.needs_grad("label");
}

void grad_cross_entropy(GradContext& ctx) {
  if (wants_label_grad(ctx)) set_label_grad(ctx, log(ctx.input("x")), "out");
  if (!ctx.needs_grad("x")) return;
  OpCall<Value> call("cross_entropy_grad");
  call.input("x", ctx.input("x")).input("out_grad", ctx.output_grad("out"));
  ctx.set_input_grad("x", call_grad(ctx, call));
}

// The probabilities are a result of their own: what arrives there goes through softmax's rule.
void grad_fused(GradContext& ctx) {
  if (wants_label_grad(ctx) && ctx.output_grad("loss").defined()) {
    set_label_grad(ctx, log_softmax(ctx.input("logits")), "loss");
  }
  if (!ctx.needs_grad("logits")) return;
  const Value probabilities = ctx.output("softmax");
  Value total;
  if (ctx.output_grad("loss").defined()) {
    OpCall<Value> call("softmax_with_cross_entropy_grad");
    call.input("softmax", probabilities).input("loss_grad", ctx.output_grad("loss"));
    total = call_grad(ctx, call);
  }
  if (ctx.output_grad("softmax").defined()) {
    const Value other = softmax_backward(probabilities, ctx.output_grad("softmax"), /*axis=*/-1);
    total = total.defined() ? elementwise_add(total, other) : other;
  }
  if (total.defined()) ctx.set_input_grad("logits", total);
}

// With soft labels; hard ones would have to be looked up.
void decompose_fused(DecomposeContext& ctx) {
  if (!ctx.attr<bool>("soft_label")) return;
  const DType dtype = ctx.type(ctx.input("logits")).dtype;
  const Value logits = widened(ctx.input("logits"));
  const Value levels = elementwise_sub(logits, reduce_max(logits, {-1}, /*keep_dim=*/true));
  const Value powers = exp(levels);
  const Value total = reduce_sum(powers, {-1}, /*keep_dim=*/true);
  const Value weighted =
      elementwise_mul(widened(ctx.input("label")), elementwise_sub(levels, log(total)));
  const Value loss = scale(reduce_sum(weighted, {-1}, /*keep_dim=*/true), -1.0);
  ctx.set_output("softmax", as_dtype(elementwise_div(powers, total), dtype));
  ctx.set_output("loss", as_dtype(loss, dtype));
}

void decompose_fused_grad(DecomposeContext& ctx) {
  if (!ctx.attr<bool>("soft_label")) return;
  const Value label = widened(ctx.input("label"));
  const Value total = reduce_sum(label, {-1}, /*keep_dim=*/true);
  const Value slope = elementwise_sub(elementwise_mul(widened(ctx.input("softmax")), total), label);
  const Value grad = elementwise_mul(widened(ctx.input("loss_grad")), slope);
  ctx.set_output("logits_grad", as_dtype(grad, ctx.type(ctx.input("softmax")).dtype));
}

// The last axis is that of classes.
bool rows_of_classes(const BatchContext& ctx, const char* scores) {
  const Shape& shape = ctx.shape(scores);
  const bool is_valid =
      ctx.types().attr<bool>("soft_label") || ctx.is_index("label", shape[shape.rank() - 1]);
  return shape.rank() > 1 && is_valid;
}

OpSchema loss_op(const char* name, const char* scores) {
  return OpSchema(name)
      .input(scores, kFloats)
      .input("label", kFloats | kIndices)
      .attr("soft_label", false, "whether labels are probabilities of all classes, else one class")
      .attr("ignore_index", std::int64_t{-100}, "the label of rows that give 0")
      .batch_rule([scores](BatchContext& ctx) { return rows_of_classes(ctx, scores); });
}

OpSchema loss_grad_op(const char* name, const char* scores, const char* loss_grad,
                      const char* result) {
  OpSchema schema = loss_op(name, scores);
  schema.input(loss_grad, kFloats).output(result);
  schema.infer([=](InferContext& ctx) { infer_grad(ctx, scores, loss_grad, result); });
  schema.refuse_gradient(unsupported_gradient(name,
                                              "use softmax, cast and elementwise ops where a loss "
                                              "is differentiated twice"));
  return schema;
}

}  // namespace

void register_cross_entropy_ops(OpRegistry& registry) {
  registry.add(
      loss_op("cross_entropy", "x")
          .gradient_uses({"cross_entropy_grad", "elementwise_mul", "log", "scale"})
          .meaning("-sum(label * log(x)) along the last axis, or -log(x) at the label's class")
          .accuracy("n + 5 roundoffs of sum |label * log(x)| and 2 of sum |label|, n classes, 1 of "
                    "a hard label")
          .output("out")
          .infer(infer_cross_entropy)
          .gradient(grad_cross_entropy));
  registry.add(
      loss_op("softmax_with_cross_entropy", "logits")
          .gradient_uses({"elementwise_add", "elementwise_mul", "elementwise_sub", "log_softmax",
                          "reduce_sum", "scale", "softmax_with_cross_entropy_grad"})
          .meaning("softmax of the logits along the last axis, and the cross entropy of that")
          .accuracy("softmax: as the op softmax; loss: sum of |label| times what log_softmax has "
                    "for L, and n + 3 roundoffs of |L| + |logits|; L = log(sum(exp(logits)))")
          .output("softmax")
          .output("loss")
          .infer(infer_fused)
          .gradient(grad_fused)
          .cost([](const InferContext& ctx) { return reduction_cost(ctx, "logits", kFusedFlops); })
          .decompose(decompose_fused));
  // -out_grad * label / x with soft labels; with hard ones, -out_grad / x at the label's class and
  // 0 elsewhere. A row whose label is ignored gets 0.
  registry.add(
      loss_grad_op("cross_entropy_grad", "x", "out_grad", "x_grad")
          .meaning("-out_grad * label / x; of a hard label at its class, else 0; 0 in ignored rows")
          .accuracy("3 roundoffs of |x_grad|"));
  // loss_grad * (softmax * sum(label) - label), a hard label counting as one-hot. A row whose label
  // is ignored gets 0.
  registry.add(
      loss_grad_op("softmax_with_cross_entropy_grad", "softmax", "loss_grad", "logits_grad")
          .meaning("loss_grad * (softmax * sum(label) - label), a hard label as one-hot; 0 in "
                   "ignored rows")
          .accuracy("|loss_grad| times n + 3 roundoffs of softmax * sum(label) and 3 of |label|, n "
                    "classes")
          .decompose(decompose_fused_grad));
}

}  // namespace loci::ops
