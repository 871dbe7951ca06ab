// Normalisation of each channel over a batch.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/normalization.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// Mean, centred square, sum, difference, two products and a sum.
constexpr std::int64_t kBatchNormFlops = 8;

bool channels_last(const std::string& layout) { return layout == "NHWC"; }

// Checks the rank; returns the axis of the channels.
int channel_axis(const InferContext& ctx) {
  const int rank = ctx.shape("x").rank();
  if (rank < 2) ctx.fail("x is {}; it needs batch and channels", ctx.shape("x").to_string());
  return channels_last(ctx.attr<std::string>("data_layout")) ? rank - 1 : 1;
}

void infer_batch_norm(InferContext& ctx) {
  require_epsilon(ctx);
  const Shape channels{ctx.shape("x")[channel_axis(ctx)]};
  const TensorType statistics{statistics_dtype(ctx.dtype("x")), channels};
  for (const char* slot : {"scale", "bias"}) {
    require_type(ctx, slot, {ctx.dtype("x"), channels});
  }
  for (const char* slot : {"mean", "variance"}) require_type(ctx, slot, statistics);
  ctx.set_output("y", ctx.input("x"));
  ctx.set_output("saved_mean", statistics);
  ctx.set_output("saved_inv_std", statistics);
}

void infer_batch_norm_grad(InferContext& ctx) {
  const Shape channels{ctx.shape("x")[channel_axis(ctx)]};
  const TensorType parameter{ctx.dtype("x"), channels};
  require_type(ctx, "scale", parameter);
  for (const char* slot : {"saved_mean", "saved_inv_std"}) {
    require_type(ctx, slot, {statistics_dtype(ctx.dtype("x")), channels});
  }
  require_type(ctx, "y_grad", ctx.input("x"));
  ctx.set_output("x_grad", ctx.input("x"));
  ctx.set_output("scale_grad", parameter);
  ctx.set_output("bias_grad", parameter);
}

std::vector<Value> call_grad(const GradContext& ctx, const Value& mean, const Value& inv_std,
                             const Value& y_grad) {
  return OpCall<Value>("batch_norm_grad")
      .input("x", ctx.input("x"))
      .input("scale", ctx.input("scale"))
      .input("saved_mean", mean)
      .input("saved_inv_std", inv_std)
      .input("y_grad", y_grad)
      .attr("data_layout", ctx.attr<std::string>("data_layout"))
      .attr("is_test", ctx.attr<bool>("is_test"))
      .attr("use_global_stats", ctx.attr<bool>("use_global_stats"))
      .results();
}

void grad_batch_norm(GradContext& ctx) {
  for (const char* slot : {"saved_mean", "saved_inv_std"}) {
    refuse_gradient_of(ctx, "batch_norm", slot);
  }
  const std::vector<Value> grads =
      call_grad(ctx, ctx.output("saved_mean"), ctx.output("saved_inv_std"), ctx.output_grad("y"));
  ctx.set_input_grad("x", grads[0]);
  ctx.set_input_grad("scale", grads[1]);
  ctx.set_input_grad("bias", grads[2]);
}

// One number for each channel, so that it broadcasts with x.
Value as_channels(const GradContext& ctx, const Value& value) {
  const int rank = GradContext::type(ctx.input("x")).shape.rank();
  if (channels_last(ctx.attr<std::string>("data_layout"))) return value;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank) - 1, 1);
  shape.front() = 0;  // the channels
  return reshape(value, shape);
}

// All results are linear in y_grad. The map from y_grad to x_grad is its own transpose, because
// scale and inv_std are constant within a channel.
void grad_batch_norm_grad(GradContext& ctx) {
  for (const char* slot : {"x", "scale"}) refuse_second_gradient(ctx, "batch_norm_grad", slot);
  if (!ctx.needs_grad("y_grad")) return;
  const Value mean = ctx.input("saved_mean");
  const Value inv_std = ctx.input("saved_inv_std");
  Value total;
  if (const Value x_grad = ctx.output_grad("x_grad"); x_grad.defined()) {
    total = call_grad(ctx, mean, inv_std, x_grad).front();
  }
  if (const Value grad = ctx.output_grad("scale_grad"); grad.defined()) {
    const Value means = as_channels(ctx, mean);
    const Value h = normalized(ctx.input("x"), means, as_channels(ctx, inv_std));
    total = sum_of(total, elementwise_mul(h, as_channels(ctx, grad)));
  }
  if (const Value grad = ctx.output_grad("bias_grad"); grad.defined()) {
    total = sum_of(total, broadcast_like(as_channels(ctx, grad), ctx.input("x")));
  }
  if (total.defined()) ctx.set_input_grad("y_grad", total);
}

Cost cost_of_batch_norm(const InferContext& ctx) {
  return reduction_cost(ctx, "x", kBatchNormFlops);
}

// Rows stay apart by the running statistics, which are those of no row and stay as they are.
bool rows_by_running_statistics(BatchContext& ctx) {
  const InferContext& types = ctx.types();
  const bool uses_them = types.attr<bool>("is_test") || types.attr<bool>("use_global_stats");
  for (const char* slot : {"mean_out", "variance_out", "saved_mean", "saved_inv_std"}) {
    ctx.leave_whole(slot);
  }
  return uses_them && only_carry(ctx, {"x"});
}

OpSchema batch_norm() {
  return OpSchema("batch_norm")
      .gradient_uses({"batch_norm_grad"})
      .meaning(
          "(x - mean) / sqrt(variance + epsilon) * scale + bias for each channel; updates the "
          "running mean and variance")
      .accuracy(
          "saved_mean: n roundoffs of mean |x|, n in a channel; the variance: n + 3 of itself; "
          "saved_inv_std: (n + 11) / 2 of itself; of running statistics none and 4; y: what those "
          "have, 4 of |y - bias|, 1 of |y|; mean_out, variance_out: what is added has, 3 of that, "
          "2 of what is kept, 1 of the sum")
      .input("x", kFloats)
      .input("scale", kFloats)
      .input("bias", kFloats)
      .input("mean", kFloats)
      .input("variance", kFloats)
      .attr("momentum", 0.9, "what stays of the running mean and variance in an update")
      .within(0.0, 1.0)
      .attr("epsilon", 1e-5, "added to the variance")
      .attr("data_layout", std::string("NCHW"),
            "NCHW: channels are dimension 1; NHWC: the last one")
      .one_of({"NCHW", "NHWC"})
      .attr("is_test", false, "whether mean and variance are taken as they are, and stay")
      .attr("use_global_stats", false, "whether they are taken as they are in training too")
      .output("y")
      .updates("mean_out", "mean")
      .updates("variance_out", "variance")
      .output("saved_mean")
      .of_dtype(DTypeRule::computed("x"))
      .output("saved_inv_std")
      .of_dtype(DTypeRule::computed("x"))
      .infer(infer_batch_norm)
      .gradient(grad_batch_norm)
      .cost(cost_of_batch_norm)
      .batch_rule(rows_by_running_statistics);
}

// With h = (x - saved_mean) * saved_inv_std, means and sums over the elements of a channel:
//   x_grad = scale * saved_inv_std * (y_grad - mean(y_grad) - h * mean(y_grad * h)), or with
//            is_test or use_global_stats scale * saved_inv_std * y_grad
//   scale_grad = sum(y_grad * h), bias_grad = sum(y_grad)
OpSchema batch_norm_grad() {
  return OpSchema("batch_norm_grad")
      .meaning("the gradients of batch_norm for x, scale and bias")
      .accuracy(
          "x_grad: saved_inv_std * (8 roundoffs of |g|, n + 8 of mean |g|, n + 12 of |h| * mean "
          "|g * h|), n in a channel; of running statistics 3 of |x_grad|; scale_grad: n + 3 of sum "
          "|y_grad * h|; bias_grad: n of sum |y_grad|; g = y_grad * scale, h = (x - saved_mean) * "
          "saved_inv_std")
      .input("x", kFloats)
      .input("scale", kFloats)
      .input("saved_mean", kFloats)
      .input("saved_inv_std", kFloats)
      .input("y_grad", kFloats)
      .attr("data_layout", std::string("NCHW"),
            "NCHW: channels are dimension 1; NHWC: the last one")
      .one_of({"NCHW", "NHWC"})
      .attr("is_test", false, "whether mean and variance are taken as they are, and stay")
      .attr("use_global_stats", false, "whether they are taken as they are in training too")
      .output("x_grad")
      .output("scale_grad")
      .output("bias_grad")
      .infer(infer_batch_norm_grad)
      .gradient(grad_batch_norm_grad)
      .cost(cost_of_batch_norm);
}

}  // namespace

void register_batch_norm_ops(OpRegistry& registry) {
  registry.add(batch_norm());
  registry.add(batch_norm_grad());
}

}  // namespace loci::ops
