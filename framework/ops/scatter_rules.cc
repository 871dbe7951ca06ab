#include "framework/ops/scatter_rules.h"

#include <utility>

#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

Cost cost_of_scatter(const InferContext& ctx) {
  const bool computes = ctx.attr<std::string>("reduction") != kReplace;
  return {computes ? ctx.shape("updates").numel() : 0, argument_bytes(ctx)};
}

// No gradient reaches what was overwritten, be it an element of x or one of the updates.
void grad_of_replaced(GradContext& ctx, const PlaceCalls& calls) {
  const Value grad = ctx.output_grad("out");
  if (ctx.needs_grad("x")) {
    const Value zeros = full_like(ctx.input("updates"), 0.0);
    ctx.set_input_grad("x", calls.scatter(grad, zeros, kReplace));
  }
  if (ctx.needs_grad("updates")) ctx.set_input_grad("updates", calls.gather_last(grad));
}

void grad_of_added(GradContext& ctx, const PlaceCalls& calls) {
  const Value grad = ctx.output_grad("out");
  ctx.set_input_grad("x", grad);
  if (ctx.needs_grad("updates")) ctx.set_input_grad("updates", calls.gather(grad));
}

void grad_of_multiplied(GradContext& ctx, const PlaceCalls& calls) {
  if (ctx.needs_grad("updates")) {
    unsupported_gradient(ctx.schema().name(),
                         "with reduction mul that of each update is a product of all the others at "
                         "its element; where no element is written twice, multiply what is there "
                         "first, and write that with reduction none")(ctx);
  }
  if (!ctx.needs_grad("x")) return;
  const Value factors = calls.scatter(full_like(ctx.input("x"), 1.0), ctx.input("updates"), "mul");
  ctx.set_input_grad("x", elementwise_mul(ctx.output_grad("out"), factors));
}

Value in_dtype(const Value& x, DType dtype) {
  return GradContext::type(x).dtype == dtype ? x : cast(x, dtype);
}

// The gradient goes to what the result is, in equal shares where several are: as reduce_max has it.
// How many are may be more than a half holds.
void grad_of_extreme(GradContext& ctx, const PlaceCalls& calls) {
  const Value x = ctx.input("x");
  const Value out = ctx.output("out");
  const DType dtype = GradContext::type(x).dtype;
  const DType wide = dtype_size(dtype) < dtype_size(kFloat32) ? kFloat32 : dtype;
  const Value is_x = cast(equal(x, out), wide);
  const Value is_update = cast(equal(ctx.input("updates"), calls.gather(out)), wide);
  const Value count = calls.scatter(is_x, is_update, "add");
  const Value share = elementwise_div(in_dtype(ctx.output_grad("out"), wide), count);
  if (ctx.needs_grad("x")) {
    ctx.set_input_grad("x", in_dtype(elementwise_mul(share, is_x), dtype));
  }
  if (ctx.needs_grad("updates")) {
    const Value of_update = elementwise_mul(calls.gather(share), is_update);
    ctx.set_input_grad("updates", in_dtype(of_update, dtype));
  }
}

}  // namespace

OpSchema scatter_schema(std::string name) {
  return OpSchema(std::move(name))
      .accuracy(
          "exact but for add, n roundoffs of |x| + sum |updates|, and mul, n roundoffs of |out|, n "
          "updates of one element")
      .input("x")
      .input("index", kIndices)
      .input("updates")
      .attr("reduction", std::string(kReplace),
            "how an element is made of updates and what is there; none: the last update")
      .one_of({kReplace, "add", "mul", "max", "min"})
      .output("out")
      .cost(cost_of_scatter);
}

void infer_scatter(InferContext& ctx, const Shape& updates, std::string_view meaning) {
  require_same_dtype(ctx, "x", "updates");
  require_shape(ctx, "updates", updates, meaning);
  const auto& reduction = ctx.attr<std::string>("reduction");
  if (reduction != kReplace && ctx.dtype("x") == kBool) {
    ctx.fail("reduction is {}, which bool has not; give none, or cast to a number", reduction);
  }
  ctx.set_output("out", ctx.input("x"));
}

void grad_of_scatter(GradContext& ctx, const PlaceCalls& calls) {
  const auto& reduction = ctx.attr<std::string>("reduction");
  if (reduction == kReplace) return grad_of_replaced(ctx, calls);
  if (reduction == "add") return grad_of_added(ctx, calls);
  if (reduction == "mul") return grad_of_multiplied(ctx, calls);
  grad_of_extreme(ctx, calls);
}

std::vector<std::string> scatter_gradient_ops(const std::string& gather,
                                              const std::string& scatter) {
  return {"cast", "elementwise_div", "elementwise_mul", "equal", "full_like",
          gather, scatter,           scatter + "_grad"};
}

}  // namespace loci::ops
