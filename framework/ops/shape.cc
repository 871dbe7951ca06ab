// The extents of a tensor as a value.
#include <limits>

#include "framework/ops/cost.h"
#include "framework/ops/infer_context.h"
#include "framework/ops/op_registry.h"

namespace loci::ops {
namespace {

void infer_shape(InferContext& ctx) {
  for (const std::int64_t extent : ctx.shape("x")) {
    if (extent > std::numeric_limits<std::int32_t>::max()) {
      ctx.fail("x {} has an extent that int32 does not hold", ctx.shape("x").to_string());
    }
  }
  ctx.set_output("out", {kInt32, Shape{ctx.shape("x").rank()}});
}

}  // namespace

void register_shape_ops(OpRegistry& registry) {
  // The value lies on the host, whatever place the op runs at: nothing is read from the device. The
  // gradient stops: extents are integers.
  registry.add(OpSchema("shape")
                   .meaning("the extents of x, on the host")
                   .input("x", kAllDTypes, Arity::kRequired, Residence::kMetadata)
                   .exact()
                   .host_output("out")
                   .of_dtype(DTypeRule::always(kInt32))
                   .infer(infer_shape)
                   .cost(move_cost));
}

}  // namespace loci::ops
