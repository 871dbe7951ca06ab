// Slices along an axis by index.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// The axis of x, with those of the index in its place.
Shape gathered_shape(const InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  const Shape& index = ctx.shape("index");
  const int axis = ctx.axis("axis", x.rank());
  if (x.rank() - 1 + index.rank() > Shape::kMaxRank) {
    ctx.fail("the result would have {} dimensions; a tensor has at most {}",
             x.rank() - 1 + index.rank(), Shape::kMaxRank);
  }
  Shape out = slice(x, 0, axis);
  for (const std::int64_t extent : index) out.push_back(extent);
  for (int i = axis + 1; i < x.rank(); ++i) out.push_back(x[i]);
  return out;
}

void infer_gather(InferContext& ctx) {
  ctx.set_output("out", {ctx.dtype("x"), gathered_shape(ctx)});
}

void infer_gather_grad(InferContext& ctx) {
  require_same_dtype(ctx, "x", "out_grad");
  require_shape(ctx, "out_grad", gathered_shape(ctx), "what is gathered from x");
  ctx.set_output("x_grad", ctx.input("x"));
}

void grad_gather(GradContext& ctx) {
  if (!ctx.needs_grad("x")) return;
  ctx.set_input_grad("x", OpCall<Value>("gather_grad")
                              .input("x", ctx.input("x"))
                              .input("index", ctx.input("index"))
                              .input("out_grad", ctx.output_grad("out"))
                              .attr("axis", ctx.attr<std::int64_t>("axis"))
                              .result());
}

// Linear in out_grad: the same slices again.
void grad_gather_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  ctx.set_input_grad("out_grad", gather(ctx.output_grad("x_grad"), ctx.input("index"),
                                        static_cast<int>(ctx.attr<std::int64_t>("axis"))));
}

// Each row of the index is looked up, or it is looked up in each row.
bool gathered_rows(BatchContext& ctx) {
  const int axis = ctx.types().axis("axis", ctx.shape("x").rank());
  if (axis != 0) return only_carry(ctx, {"x"});
  return only_carry(ctx, {"index"}) && ctx.is_index("index", ctx.shape("x")[0]);
}

}  // namespace

void register_gather_ops(OpRegistry& registry) {
  registry.add(OpSchema("gather")
                   .gradient_uses({"gather_grad"})
                   .meaning("the slices of x at the positions of index along the axis")
                   .exact()
                   .input("x")
                   .input("index", kIndices)
                   .attr("axis", std::int64_t{0},
                         "the dimension along which; a negative one counts from the end")
                   .output("out")
                   .infer(infer_gather)
                   .gradient(grad_gather)
                   .cost(copy_cost)
                   .batch_rule(gathered_rows));
  registry.add(OpSchema("gather_grad")
                   .gradient_uses({"gather"})
                   .meaning("zeros of the shape of x, plus each slice of out_grad at its index")
                   .accuracy("n roundoffs of sum |out_grad|, n slices of one index")
                   .input("x", kFloats, Arity::kRequired, Residence::kMetadata)
                   .input("index", kIndices)
                   .input("out_grad", kFloats)
                   .attr("axis", std::int64_t{0},
                         "the dimension along which; a negative one counts from the end")
                   .output("x_grad")
                   .infer(infer_gather_grad)
                   .gradient(grad_gather_grad));
}

}  // namespace loci::ops
