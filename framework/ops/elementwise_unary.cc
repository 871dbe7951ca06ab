// One input, one output of its shape.
#include <cmath>

#include "framework/core/integer_range.h"
#include "framework/ops/batch_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void grad_assign(GradContext& ctx) { ctx.set_input_grad("x", ctx.output_grad("out")); }

// Integers are computed modulo 2^n: a constant beyond that is a mistake.
void infer_scale(InferContext& ctx) {
  infer_like_x(ctx);
  const DType dtype = ctx.dtype("x");
  if (!is_integer(dtype)) return;
  for (const char* name : {"scale", "bias"}) {
    const auto constant = ctx.attr<double>(name);
    if (std::abs(constant) < core::residues_of(dtype)) continue;
    ctx.fail("{} is {}, which is beyond {}; give a smaller one, or cast x to a dtype that has it",
             name, constant, dtype_name(dtype));
  }
}

void grad_scale(GradContext& ctx) {
  ctx.set_input_grad("x", scale(ctx.output_grad("out"), ctx.attr<double>("scale")));
}

Value relu_grad(const Value& out, const Value& out_grad) {
  return OpCall<Value>("relu_grad").input("out", out).input("out_grad", out_grad).result();
}

void grad_relu(GradContext& ctx) {
  ctx.set_input_grad("x", relu_grad(ctx.output("out"), ctx.output_grad("out")));
}

void infer_relu_grad(InferContext& ctx) {
  require_same_dtype(ctx, "out", "out_grad");
  require_shape(ctx, "out_grad", ctx.shape("out"), "the shape of out");
  ctx.set_output("x_grad", {ctx.dtype("out"), merged(ctx.shape("out"), ctx.shape("out_grad"))});
}

// Linear in out_grad; a step function of out.
void grad_relu_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  ctx.set_input_grad("out_grad", relu_grad(ctx.input("out"), ctx.output_grad("x_grad")));
}

}  // namespace

void register_elementwise_unary_ops(OpRegistry& registry) {
  registry.add(OpSchema("assign")
                   .meaning("a copy of x")
                   .input("x")
                   .output("out")
                   .infer(infer_like_x)
                   .gradient(grad_assign)
                   .batch_rule(element_rows)
                   .moves_elements());
  registry.add(OpSchema("scale")
                   .gradient_uses({"scale"})
                   .meaning("scale * x + bias")
                   .accuracy("2 roundoffs of |scale * x|, 1 of |bias| and 1 of |out|")
                   .input("x", kNumbers)
                   .attr("scale", 1.0, "what x is multiplied by")
                   .attr("bias", 0.0, "what is added to the product")
                   .output("out")
                   .infer(infer_scale)
                   .gradient(grad_scale)
                   .batch_rule(element_rows));
  registry.add(OpSchema("relu")
                   .gradient_uses({"relu_grad"})
                   .meaning("max(x, 0)")
                   .exact()
                   .input("x", kNumbers)
                   .output("out")
                   .infer(infer_like_x)
                   .gradient(grad_relu)
                   .batch_rule(element_rows));
  registry.add(OpSchema("relu_grad")
                   .gradient_uses({"relu_grad"})
                   .meaning("out_grad where out > 0, else 0")
                   .exact()
                   .input("out", kFloats)
                   .input("out_grad", kFloats)
                   .output("x_grad")
                   .infer(infer_relu_grad)
                   .gradient(grad_relu_grad)
                   .batch_rule(element_rows));
}

}  // namespace loci::ops
