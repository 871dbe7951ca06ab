// Repetition: expand and expand_like, of extents of 1 and of the whole in front, tile, of all.
#include <algorithm>

#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/integer_list.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

using Integers = std::vector<std::int64_t>;

// The shape wanted, with the extents of x in the place of -1.
Shape expand_target(const InferContext& ctx, const Integers& extents) {
  const Shape& x = ctx.shape("x");
  Shape target;
  for (int i = 0; i < static_cast<int>(extents.size()); ++i) {
    const std::int64_t extent = extents[static_cast<std::size_t>(i)];
    const int own = i - static_cast<int>(extents.size()) + x.rank();
    if (extent < -1) {
      ctx.fail("shape {} has the extent {}; give -1, 0 or more", to_string(extents), extent);
    }
    if (extent == -1 && own < 0) {
      ctx.fail("shape {} has -1 (keep the extent of x) at position {}, where x has no dimension",
               to_string(extents), i);
    }
    target.push_back(extent == -1 ? x[own] : extent);
  }
  return target;
}

void infer_expand(InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  const IntegerList extents = integer_list(ctx, "shape", "shape_tensor");
  const std::string text = to_string(extents.values);
  if (extents.size() > Shape::kMaxRank) {
    ctx.fail("shape {} has {} dimensions; a tensor has at most {}", text, extents.size(),
             Shape::kMaxRank);
  }
  if (static_cast<int>(extents.size()) < x.rank()) {
    ctx.fail("shape {} has fewer dimensions than x {}", text, x.to_string());
  }
  if (!extents.known) {
    ctx.set_output("out", {ctx.dtype("x"), given_shape(ctx, "shape", "shape_tensor")});
    return;
  }
  const Shape target = expand_target(ctx, extents.values);
  const auto repeated = broadcast(x, target);
  if (!repeated || !compatible(*repeated, target)) {
    ctx.fail("x {} cannot be expanded to {}; only extents of 1 are repeated", x.to_string(), text);
  }
  ctx.set_output("out", {ctx.dtype("x"), target});
}

void grad_expand(GradContext& ctx) {
  const Value grad = ctx.output_grad("out");
  ctx.set_input_grad("x", undo_broadcast(grad, ctx.input("x"), GradContext::type(grad).shape));
}

void infer_expand_like(InferContext& ctx) {
  const auto repeated = broadcast(ctx.shape("x"), ctx.shape("like"));
  if (!repeated || !compatible(*repeated, ctx.shape("like"))) {
    ctx.fail("x {} does not broadcast to like {}", ctx.shape("x").to_string(),
             ctx.shape("like").to_string());
  }
  ctx.set_output("out", {ctx.dtype("x"), ctx.shape("like")});
}

// How often each dimension of the result is repeated: as many as x or `repeats` has.
Integers repeats_of(const InferContext& ctx) {
  Integers repeats = ctx.attr<Integers>("repeats");
  const std::string text = to_string(repeats);
  const auto rank = std::max(repeats.size(), static_cast<std::size_t>(ctx.shape("x").rank()));
  if (rank > Shape::kMaxRank) {
    ctx.fail("repeats {} has {} elements; a tensor has at most {} dimensions", text, rank,
             Shape::kMaxRank);
  }
  for (const std::int64_t count : repeats) {
    if (count < 0) ctx.fail("repeats {} has {}; give 0 or more", text, count);
  }
  repeats.insert(repeats.begin(), rank - repeats.size(), 1);
  return repeats;
}

Shape tiled_shape(const InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  const Integers repeats = repeats_of(ctx);
  const auto added = static_cast<int>(repeats.size()) - x.rank();
  Shape out;
  for (int i = 0; i < static_cast<int>(repeats.size()); ++i) {
    const std::int64_t extent = i < added ? 1 : x[i - added];
    const Shape pair{extent, repeats[static_cast<std::size_t>(i)]};
    out.push_back(extent_product(ctx, pair, 0, 2));
  }
  return out;
}

void infer_tile(InferContext& ctx) { ctx.set_output("out", {ctx.dtype("x"), tiled_shape(ctx)}); }

void infer_tile_grad(InferContext& ctx) {
  require_same_dtype(ctx, "x", "out_grad");
  require_shape(ctx, "out_grad", tiled_shape(ctx), "x repeated");
  ctx.set_output("x_grad", ctx.input("x"));
}

void grad_tile(GradContext& ctx) {
  ctx.set_input_grad("x", OpCall<Value>("tile_grad")
                              .input("x", ctx.input("x"))
                              .input("out_grad", ctx.output_grad("out"))
                              .attr("repeats", ctx.attr<Integers>("repeats"))
                              .result());
}

void grad_tile_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  ctx.set_input_grad("out_grad", tile(ctx.output_grad("x_grad"), ctx.attr<Integers>("repeats")));
}

}  // namespace

void register_expand_ops(OpRegistry& registry) {
  registry.add(OpSchema("expand")
                   .gradient_uses({"reduce_sum_like"})
                   .meaning("x repeated to a shape that it broadcasts to")
                   .exact()
                   .input("x")
                   .extents_input("shape_tensor")
                   .attr("shape", Integers{}, "of the result; -1: the extent of x")
                   .output("out", Arity::kRequired, Extent::kHostValues)
                   .infer(infer_expand)
                   .gradient(grad_expand)
                   .cost(move_cost)
                   .batch_rule(element_rows));
  registry.add(OpSchema("expand_like")
                   .gradient_uses({"reduce_sum_like"})
                   .meaning("x repeated to the shape of like")
                   .exact()
                   .input("x")
                   .input("like", kAllDTypes, Arity::kRequired, Residence::kMetadata)
                   .output("out")
                   .infer(infer_expand_like)
                   .gradient(grad_expand)
                   .cost(move_cost)
                   .batch_rule(element_rows));
  registry.add(OpSchema("tile")
                   .gradient_uses({"tile_grad"})
                   .meaning("x repeated so many times along each dimension")
                   .exact()
                   .input("x")
                   .required_attr("repeats", Integers{}, "copies along each dimension")
                   .output("out")
                   .infer(infer_tile)
                   .gradient(grad_tile)
                   .cost(move_cost)
                   .batch_rule(element_rows));
  registry.add(OpSchema("tile_grad")
                   .gradient_uses({"tile"})
                   .meaning("the sum over all copies; of x only the shape is read")
                   .accuracy("n + 32 roundoffs of sum |out_grad|, n copies")
                   .input("x", kNumbers, Arity::kRequired, Residence::kMetadata)
                   .input("out_grad", kNumbers)
                   .required_attr("repeats", Integers{}, "copies along each dimension")
                   .output("x_grad")
                   .infer(infer_tile_grad)
                   .gradient(grad_tile_grad)
                   .batch_rule(element_rows));
}

}  // namespace loci::ops
