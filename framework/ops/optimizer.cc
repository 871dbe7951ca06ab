// Update rules: they change parameters in place.
#include "framework/ops/cost.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void infer_sgd(InferContext& ctx) {
  require_same_dtype(ctx, "param", "grad");
  require_shape(ctx, "grad", ctx.shape("param"), "the shape of the parameter");
  const Shape& rate = ctx.shape("learning_rate");
  for (const std::int64_t extent : rate) {
    if (!compatible(extent, 1)) {
      ctx.fail("learning_rate is {}; give one number, of shape [] or [1]", rate.to_string());
    }
  }
}

Cost cost_of_sgd(const InferContext& ctx) { return elementwise_cost(ctx, /*flops=*/2); }

}  // namespace

void register_optimizer_ops(OpRegistry& registry) {
  // The rate is read where the parameter is: it is state of the program, so that a captured step
  // sees it change and nothing is copied to the host in between.
  registry.add(OpSchema("sgd")
                   .input("param", kFloats)
                   .input("grad", kFloats)
                   .input("learning_rate", {kFloat32})
                   .updates("param_out", "param")
                   .infer(infer_sgd)
                   .cost(cost_of_sgd));
}

}  // namespace loci::ops
