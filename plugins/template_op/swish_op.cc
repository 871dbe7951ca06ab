#include "swish.h"

namespace sample_plugin {
namespace {

using loci::sdk::AttrDef;
using loci::sdk::Gradient;
using loci::sdk::Inference;
using loci::sdk::OpDef;
using loci::sdk::Value;

void infer_swish(Inference& op) { op.set_output(0, op.input(0)); }

// With s = sigmoid(beta x) and out = x s the derivative is s + beta x s (1 - s), that is
// s (1 - beta out) + beta out. Written in ops, so that it runs, and has a gradient, everywhere.
void grad_swish(Gradient& op) {
  if (!op.wants(0)) return;
  const double beta = op.attributes().real("beta");
  const auto scaled = [&](Value x, double factor, double bias) {
    return op.call("scale").input("x", x).attr("scale", factor).attr("bias", bias).result();
  };
  const auto binary = [&](const char* name, Value x, Value y) {
    return op.call(name).input("x", x).input("y", y).result();
  };
  const Value s = op.call("sigmoid").input("x", scaled(op.input(0), beta, 0.0)).result();
  const Value falling = binary("elementwise_mul", s, scaled(op.output(0), -beta, 1.0));
  const Value slope = binary("elementwise_add", falling, scaled(op.output(0), beta, 0.0));
  op.set_input_grad(0, binary("elementwise_mul", op.output_grad(0), slope));
}

}  // namespace

OpDef swish_op() {
  return OpDef("sample.swish")
      .input("x", loci::sdk::kFloatBits)
      .output("out")
      .attr(AttrDef::real("beta", 1.0).reals_within(0.0, 100.0))
      .infer(infer_swish)
      .gradient(grad_swish);
}

}  // namespace sample_plugin
