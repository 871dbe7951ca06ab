// Ops that put the same elements under another shape.
#include <algorithm>

#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/integer_list.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// The attribute of reshape, read against x.
struct Target {
  Shape shape;                  // the extent to infer is kDynamicDim
  Shape rest;                   // extents of x that are not copied
  Shape given;                  // extents of the target that are said
  int inferred = -1;            // the axis to infer
  bool copies_nothing = false;  // an extent of 0 is copied: x and the result have no elements
};

std::int64_t copied_extent(const InferContext& ctx, int axis) {
  const Shape& x = ctx.shape("x");
  if (axis < x.rank()) return x[axis];
  ctx.fail("shape has 0 (copy the extent of x) at position {}, where x has no dimension", axis);
}

Target read_target(const InferContext& ctx, const std::vector<std::int64_t>& extents) {
  const std::string text = to_string(extents);
  if (extents.size() > Shape::kMaxRank) {
    ctx.fail("shape {} has {} dimensions; a tensor has at most {}", text, extents.size(),
             Shape::kMaxRank);
  }
  Target target;
  for (int i = 0; i < static_cast<int>(extents.size()); ++i) {
    const std::int64_t extent = extents[static_cast<std::size_t>(i)];
    if (extent < -1) ctx.fail("shape {} has the extent {}; give -1, 0 or more", text, extent);
    if (extent == -1 && target.inferred >= 0) {
      ctx.fail("shape {} has more than one -1; only one extent can be inferred", text);
    }
    if (extent == -1) target.inferred = i;
    if (extent > 0) target.given.push_back(extent);
    target.shape.push_back(extent == 0 ? copied_extent(ctx, i) : extent);
    if (extent == 0 && target.shape[i] == 0) target.copies_nothing = true;
  }
  const Shape& x = ctx.shape("x");
  for (int i = 0; i < x.rank(); ++i) {
    const bool copied = i < target.shape.rank() && extents[static_cast<std::size_t>(i)] == 0;
    if (!copied) target.rest.push_back(x[i]);
  }
  return target;
}

[[noreturn]] void refuse_target(const InferContext& ctx, const Target& target,
                                const std::vector<std::int64_t>& extents, std::int64_t have,
                                std::int64_t given) {
  const std::string x = ctx.shape("x").to_string();
  if (target.copies_nothing) {
    ctx.fail(
        "x {} cannot be given the shape {}: without elements -1 may stand for any extent; "
        "give that one",
        x, to_string(extents));
  }
  ctx.fail("x {} cannot be given the shape {}: {} elements {} {}", x, to_string(extents), have,
           target.inferred >= 0 ? "are not divisible by" : "are not", given);
}

// Copied extents are on both sides and cancel, so that an unknown one among them does not matter.
void infer_reshape(InferContext& ctx) {
  const IntegerList extents = integer_list(ctx, "shape", "shape_tensor");
  if (!extents.known) {
    ctx.set_output("out", {ctx.dtype("x"), given_shape(ctx, "shape", "shape_tensor")});
    return;
  }
  Target target = read_target(ctx, extents.values);
  const std::int64_t have = extent_product(ctx, target.rest, 0, target.rest.rank());
  const std::int64_t given = extent_product(ctx, target.given, 0, target.given.rank());
  const bool infers = target.inferred >= 0;
  const bool fits = infers ? have % given == 0 : have == given || target.copies_nothing;
  if (have >= 0 && !fits) refuse_target(ctx, target, extents.values, have, given);
  if (infers && have >= 0) target.shape.set(target.inferred, have / given);
  ctx.set_output("out", {ctx.dtype("x"), target.shape});
}

void infer_squeeze(InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  const bool all = ctx.attr<std::vector<std::int64_t>>("axes").empty();
  const auto named = named_axes(ctx, "axes", x.rank());
  Shape out;
  for (int i = 0; i < x.rank(); ++i) {
    const bool goes = named[static_cast<std::size_t>(i)];
    if (all && x[i] == kDynamicDim) {
      ctx.fail("axis {} of x has an unknown extent, so it may go or stay; name the axes", i);
    }
    if (goes && !compatible(x[i], 1)) {
      ctx.fail("axis {} of x {} has the extent {}; only axes of extent 1 can go", i, x.to_string(),
               x[i]);
    }
    if (!goes && !(all && x[i] == 1)) out.push_back(x[i]);
  }
  ctx.set_output("out", {ctx.dtype("x"), out});
}

void infer_unsqueeze(InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  const auto added = ctx.attr<std::vector<std::int64_t>>("axes").size();
  const int rank = x.rank() + static_cast<int>(std::min(added, std::size_t{Shape::kMaxRank}));
  if (rank > Shape::kMaxRank) {
    ctx.fail("the result would have {} dimensions; a tensor has at most {}", x.rank() + added,
             Shape::kMaxRank);
  }
  const auto named = named_axes(ctx, "axes", rank);
  Shape out;
  for (int i = 0, from = 0; i < rank; ++i) {
    out.push_back(named[static_cast<std::size_t>(i)] ? 1 : x[from++]);
  }
  ctx.set_output("out", {ctx.dtype("x"), out});
}

void infer_flatten(InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  const int rank = x.rank();
  const auto given = ctx.attr<std::int64_t>("axis");
  if (given < -rank || given > rank) {
    ctx.fail("axis is {}; give one in [{}, {}]", given, -rank, rank);
  }
  const int axis = static_cast<int>(given < 0 ? given + rank : given);
  ctx.set_output("out", {ctx.dtype("x"), Shape{extent_product(ctx, x, 0, axis),
                                               extent_product(ctx, x, axis, rank)}});
}

void infer_reshape_like(InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  const Shape& like = ctx.shape("like");
  if (!compatible(extent_product(ctx, x, 0, x.rank()), extent_product(ctx, like, 0, like.rank()))) {
    ctx.fail("x {} and like {} differ in their number of elements", x.to_string(),
             like.to_string());
  }
  ctx.set_output("out", {ctx.dtype("x"), like});
}

void grad_reshape(GradContext& ctx) {
  ctx.set_input_grad("x", reshape_like(ctx.output_grad("out"), ctx.input("x")));
}

}  // namespace

void register_reshape_ops(OpRegistry& registry) {
  registry.add(OpSchema("reshape")
                   .gradient_uses({"reshape_like"})
                   .meaning("the elements of x in another shape")
                   .input("x")
                   .extents_input("shape_tensor")
                   .attr("shape", std::vector<std::int64_t>{},
                         "of the result; 0: the extent of x there, -1: inferred")
                   .output("out", Arity::kRequired, Extent::kHostValues)
                   .infer(infer_reshape)
                   .gradient(grad_reshape)
                   .cost(move_cost)
                   .batch_rule(rows_in_order)
                   .moves_elements());
  registry.add(OpSchema("flatten")
                   .gradient_uses({"reshape_like"})
                   .meaning("x as a matrix, divided before the axis")
                   .input("x")
                   .attr("axis", std::int64_t{1}, "how many first dimensions are rows")
                   .output("out")
                   .infer(infer_flatten)
                   .gradient(grad_reshape)
                   .cost(move_cost)
                   .batch_rule(rows_in_order)
                   .moves_elements());
  registry.add(
      OpSchema("squeeze")
          .gradient_uses({"reshape_like"})
          .meaning("x without dimensions of extent 1")
          .input("x")
          .attr("axes", std::vector<std::int64_t>{}, "of extent 1 that go; empty: all such")
          .output("out")
          .infer(infer_squeeze)
          .gradient(grad_reshape)
          .cost(move_cost)
          .batch_rule(rows_in_order)
          .moves_elements());
  registry.add(OpSchema("unsqueeze")
                   .gradient_uses({"reshape_like"})
                   .meaning("x with new dimensions of extent 1")
                   .input("x")
                   .required_attr("axes", std::vector<std::int64_t>{},
                                  "of extent 1 that come, positions in the result")
                   .output("out")
                   .infer(infer_unsqueeze)
                   .gradient(grad_reshape)
                   .cost(move_cost)
                   .batch_rule(rows_in_order)
                   .moves_elements());
  registry.add(OpSchema("reshape_like")
                   .gradient_uses({"reshape_like"})
                   .meaning("the elements of x in the shape of like")
                   .input("x")
                   .input("like", kAllDTypes, Arity::kRequired, Residence::kMetadata)
                   .output("out")
                   .infer(infer_reshape_like)
                   .gradient(grad_reshape)
                   .cost(move_cost)
                   .batch_rule(rows_in_order)
                   .moves_elements());
}

}  // namespace loci::ops
