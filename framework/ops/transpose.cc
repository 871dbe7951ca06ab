// Another order of the dimensions.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

using Integers = std::vector<std::int64_t>;

void infer_transpose(InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  (void)named_axes(ctx, "perm", x.rank());
  const auto& perm = ctx.attr<Integers>("perm");
  if (static_cast<int>(perm.size()) != x.rank()) {
    ctx.fail("perm {} names {} of the {} dimensions of x; name each once", to_string(perm),
             perm.size(), x.rank());
  }
  Shape out;
  for (const std::int64_t axis : perm) {
    out.push_back(x[static_cast<int>(axis < 0 ? axis + x.rank() : axis)]);
  }
  ctx.set_output("out", {ctx.dtype("x"), out});
}

void grad_transpose(GradContext& ctx) {
  const auto& perm = ctx.attr<Integers>("perm");
  const auto rank = static_cast<std::int64_t>(perm.size());
  Integers inverse(perm.size());
  for (std::int64_t i = 0; i < rank; ++i) {
    const std::int64_t axis = perm[static_cast<std::size_t>(i)];
    inverse[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = i;
  }
  ctx.set_input_grad("x", transpose(ctx.output_grad("out"), inverse));
}

bool rows_in_place(BatchContext& ctx) {
  const auto& perm = ctx.types().attr<Integers>("perm");
  return !perm.empty() && (perm[0] == 0 || perm[0] == -ctx.shape("x").rank());
}

}  // namespace

void register_transpose_ops(OpRegistry& registry) {
  registry.add(
      OpSchema("transpose")
          .gradient_uses({"transpose"})
          .meaning("x with its dimensions in another order")
          .input("x")
          .required_attr("perm", Integers{}, "which dimension of x each dimension of the result is")
          .output("out")
          .infer(infer_transpose)
          .gradient(grad_transpose)
          .cost(copy_cost)
          .batch_rule(rows_in_place)
          .moves_elements());
}

}  // namespace loci::ops
