// Positions of elements, whose number depends on the data.
#include "framework/ops/infer_context.h"
#include "framework/ops/op_registry.h"

namespace loci::ops {
namespace {

void infer_nonzero(InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  // Every element may count.
  const std::int64_t most = x.is_static() ? x.numel() : kDynamicDim;
  ctx.set_output("out", {kInt64, Shape{most, x.rank()}});
  ctx.set_output("count", {kInt64, Shape{1}});
}

}  // namespace

void register_nonzero_ops(OpRegistry& registry) {
  // The gradient stops: positions are integers.
  registry.add(OpSchema("nonzero")
                   .meaning("the positions of the elements that are not zero, a row each")
                   .input("x")
                   .exact()
                   .bounded_output("out", "count")
                   .of_dtype(DTypeRule::always(kInt64))
                   .output("count")
                   .of_dtype(DTypeRule::always(kInt64))
                   .infer(infer_nonzero));
}

}  // namespace loci::ops
