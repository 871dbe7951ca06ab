// Random zeros.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/grad_context.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// Ten rounds of Philox, shared by four elements, the comparison and the product.
constexpr std::int64_t kDropoutFlops = 20;

void require_dropout(const InferContext& ctx) {
  const auto p = ctx.attr<double>("p");
  if (!(p >= 0 && p <= 1)) ctx.fail("p is {}; give a probability, in [0, 1]", p);
  const auto& mode = ctx.attr<std::string>("mode");
  if (mode == "upscale_in_train" || mode == "downgrade_in_infer") return;
  ctx.fail("mode is \"{}\"; give \"upscale_in_train\" or \"downgrade_in_infer\"", mode);
}

void infer_dropout(InferContext& ctx) {
  require_dropout(ctx);
  require_drawn_state(ctx);
  const auto offset = ctx.attr<std::int64_t>("offset");
  if (offset < 0) ctx.fail("offset is {}; it counts random operators from 0", offset);
  ctx.set_output("out", ctx.input("x"));
  ctx.set_output("mask", {kUInt8, ctx.shape("x")});
}

void infer_dropout_grad(InferContext& ctx) {
  require_dropout(ctx);
  require_shape(ctx, "mask", ctx.shape("out_grad"), "the shape of the gradient");
  ctx.set_output("x_grad", ctx.input("out_grad"));
}

Value call_grad(const GradContext& ctx, const Value& out_grad, const Value& mask) {
  return OpCall<Value>("dropout_grad")
      .input("out_grad", out_grad)
      .input("mask", mask)
      .attr("p", ctx.attr<double>("p"))
      .attr("mode", ctx.attr<std::string>("mode"))
      .attr("is_test", ctx.attr<bool>("is_test"))
      .result();
}

void grad_dropout(GradContext& ctx) {
  if (!ctx.needs_grad("x")) return;
  ctx.set_input_grad("x", call_grad(ctx, ctx.output_grad("out"), ctx.output("mask")));
}

// The product with a constant is its own transpose.
void grad_dropout_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  ctx.set_input_grad("out_grad", call_grad(ctx, ctx.output_grad("x_grad"), ctx.input("mask")));
}

OpSchema& add_dropout_attributes(OpSchema& schema) {
  return schema.attr("p", 0.5, "the probability with which an element becomes 0")
      .attr("mode", std::string("upscale_in_train"),
            "upscale_in_train divides what stays by 1 - p; downgrade_in_infer multiplies by it in "
            "tests")
      .attr("is_test", false, "whether nothing is dropped");
}

Cost cost_of_dropout(const InferContext& ctx) { return reduction_cost(ctx, "x", kDropoutFlops); }

// Further rows draw, and what comes after them draws other numbers.
bool undropped_rows(BatchContext& ctx) { return ctx.types().attr<bool>("is_test"); }

}  // namespace

void register_dropout_ops(OpRegistry& registry) {
  // mask: 1 where x is kept, 0 where it is dropped; all 1 with is_test.
  OpSchema forward("dropout");
  forward.gradient_uses({"dropout_grad"});
  forward.meaning(
      "x where the mask is 1, else 0, scaled as the mode says; mask: 1 where x is kept");
  forward.accuracy("out: 3 roundoffs of |out|; mask: exact");
  forward.input("x", kFloats)
      .random()
      .output("out")
      .output("mask")
      .of_dtype(DTypeRule::always(kUInt8));
  forward.infer(infer_dropout).gradient(grad_dropout).cost(cost_of_dropout);
  forward.batch_rule(undropped_rows);
  registry.add(add_dropout_attributes(forward));

  OpSchema backward("dropout_grad");
  backward.gradient_uses({"dropout_grad"});
  backward.meaning("out_grad times what dropout multiplied x with");
  backward.accuracy("3 roundoffs of |x_grad|");
  backward.input("out_grad", kFloats).input("mask", {DType::kUInt8}).output("x_grad");
  backward.infer(infer_dropout_grad).gradient(grad_dropout_grad).batch_rule(element_rows);
  registry.add(add_dropout_attributes(backward));
}

}  // namespace loci::ops
