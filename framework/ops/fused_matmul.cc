// A matrix product with what follows it.
#include <loci/ops.hpp>

#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/decomposition_rules.h"
#include "framework/ops/epilogue_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/matmul_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void infer_fused_matmul(InferContext& ctx) {
  const Shape product = product_shape(ctx);
  if (ctx.has_input("bias")) {
    require_same_dtype(ctx, "x", "bias");
    if (product.rank() == 0) ctx.fail("the product is a single number; use elementwise_add");
    require_shape(ctx, "bias", {product[product.rank() - 1]}, "one number for each column");
  }
  if (ctx.has_input("residual")) {
    require_same_dtype(ctx, "x", "residual");
    require_shape(ctx, "residual", product, "the shape of the product");
  }
  ctx.set_output("out", {ctx.dtype("x"), product});
}

void decompose_fused_matmul(DecomposeContext& ctx) {
  Value out = matmul(widened(ctx.input("x")), widened(ctx.input("y")),
                     ctx.attr<bool>("transpose_x"), ctx.attr<bool>("transpose_y"));
  for (const char* slot : {"bias", "residual"}) {
    const Value added = ctx.input(slot);
    if (added.defined()) out = elementwise_add(out, widened(added));
  }
  ctx.set_output("out", as_dtype(activated(ctx, out), ctx.type(ctx.input("x")).dtype));
}

bool fused_matmul_rows(BatchContext& ctx) {
  if (ctx.carries("bias")) return false;
  return product_rows(ctx);
}

}  // namespace

void register_fused_matmul_ops(OpRegistry& registry) {
  OpSchema fused("fused_matmul");
  fused.meaning("activation(matmul(x, y) + bias + residual), put together by passes")
      .accuracy(
          "matmul's of the product, 1 roundoff of each sum, and the activation's of what "
          "those leave")
      .input("x", kFloats)
      .input("y", kFloats)
      .input("bias", kFloats, Arity::kOptional)
      .input("residual", kFloats, Arity::kOptional)
      .attr("transpose_x", false, "whether the last two dimensions of x are exchanged first")
      .attr("transpose_y", false, "whether the last two dimensions of y are exchanged first")
      .output("out")
      .infer(infer_fused_matmul)
      .refuse_gradient(
          unsupported_gradient("fused_matmul", "it stands in plans only; write matmul"))
      .cost(cost_of_product)
      .batch_rule(fused_matmul_rows)
      .decompose(decompose_fused_matmul);
  registry.add(add_activation(fused));
}

}  // namespace loci::ops
