// An op that gives the same numbers in another dtype.
#include "framework/ops/batch_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"

namespace loci::ops {
namespace {

void infer_cast(InferContext& ctx) {
  const auto dtype = ctx.attr<DType>("dtype");
  if (!kAllDTypes.contains(dtype))
    ctx.fail("dtype is none; give one of {}", kAllDTypes.to_string());
  ctx.set_output("out", {dtype, ctx.shape("x")});
}

// Gradients stop where either side is not floating: there the cast is a step function.
void grad_cast(GradContext& ctx) {
  const DType from = GradContext::type(ctx.input("x")).dtype;
  if (!is_floating(from) || !is_floating(ctx.attr<DType>("dtype"))) return;
  ctx.set_input_grad("x", cast(ctx.output_grad("out"), from));
}

}  // namespace

void register_cast_ops(OpRegistry& registry) {
  registry.add(OpSchema("cast")
                   .gradient_uses({"cast"})
                   .meaning("x in another dtype")
                   .input("x")
                   .required_attr("dtype", kFloat32, "of the result")
                   .output("out")
                   .of_dtype(DTypeRule::attribute("dtype"))
                   .converts_dtype()
                   .infer(infer_cast)
                   .gradient(grad_cast)
                   .batch_rule(element_rows)
                   .moves_elements());
}

}  // namespace loci::ops
