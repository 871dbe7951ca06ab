#include "swish.h"

namespace sample_plugin {
namespace {

using sdk::Value;

void infer_swish(sdk::Inference& op) { op.set_output(0, op.input(0)); }

Value scaled(const sdk::Builder& op, Value x, double factor, double bias = 0.0) {
  return op.call("scale").input("x", x).attr("scale", factor).attr("bias", bias).result();
}
Value binary(const sdk::Builder& op, const char* name, Value x, Value y) {
  return op.call(name).input("x", x).input("y", y).result();
}

// With s = sigmoid(beta x) and out = x s the derivative is s + beta x s (1 - s), that is
// s (1 - beta out) + beta out. Written in ops, so that it runs, and has a gradient, everywhere.
void grad_swish(sdk::Gradient& op) {
  if (!op.wants(0)) return;
  const double beta = op.attributes().real("beta");
  const Value s = op.call("sigmoid").input("x", scaled(op, op.input(0), beta)).result();
  const Value falling = binary(op, "elementwise_mul", s, scaled(op, op.output(0), -beta, 1.0));
  const Value slope = binary(op, "elementwise_add", falling, scaled(op, op.output(0), beta));
  op.set_input_grad(0, binary(op, "elementwise_mul", op.output_grad(0), slope));
}

// For devices without a kernel of it.
void decompose_swish(sdk::Decomposition& op) {
  const Value steep = scaled(op, op.input(0), op.attributes().real("beta"));
  const Value s = op.call("sigmoid").input("x", steep).result();
  op.set_output(0, binary(op, "elementwise_mul", op.input(0), s));
}

// Two products, an exponential (counted as one), a sum and a quotient; read and written once.
loci_op_cost cost_of_swish(const sdk::OpDesc& op) {
  const auto count = static_cast<std::uint64_t>(op.input(0).numel());
  return {5 * count, 2 * count * sdk::dtype_bytes(op.input(0).dtype())};
}

// Version 1 had beta under another name.
void upgrade_swish(sdk::Upgrade& op) {
  if (op.attributes().has("slope")) op.set("beta", op.attributes().real("slope"));
  op.remove("slope");
}

}  // namespace

sdk::OpDef swish_op() {
  return sdk::OpDef("sample.swish", kSwishVersion)
      .meaning("x / (1 + exp(-beta * x))")
      .input("x", sdk::kFloatBits)
      .output("out")
      .attr(sdk::AttrDef::real("beta", 1.0).reals_within(0.0, 100.0))
      .infer(infer_swish)
      .gradient(grad_swish)
      .cost(cost_of_swish)
      .upgrade(upgrade_swish)
      .decompose(decompose_swish);
}

}  // namespace sample_plugin
