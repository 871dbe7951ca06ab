// Parts of a tensor: slice, by bounds along some axes, set_slice, which replaces one, and
// crop_tensor, by shape and offsets.
#include <loci/plugin/slice.hpp>
#include <optional>

#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/integer_list.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

using Integers = std::vector<std::int64_t>;

void check_length(const InferContext& ctx, std::string_view name, std::size_t length,
                  std::size_t axes) {
  if (length == axes) return;
  ctx.fail("{} has {} element(s) for {} axes; give one for each", name, length, axes);
}

// The attribute "steps", one for each axis.
Integers steps_of(const InferContext& ctx) {
  const std::size_t axes = ctx.attr<Integers>("axes").size();
  Integers steps = ctx.attr<Integers>("steps");
  if (steps.empty()) return Integers(axes, 1);
  check_length(ctx, "steps", steps.size(), axes);
  for (const std::int64_t step : steps) {
    if (step == 0) ctx.fail("steps {} has 0; give a step that moves", to_string(steps));
  }
  return steps;
}

// The shape that the slice of x has.
Shape sliced_shape(const InferContext& ctx) {
  Shape out = ctx.shape("x");
  (void)named_axes(ctx, "axes", out.rank());
  const auto& axes = ctx.attr<Integers>("axes");
  const Integers steps = steps_of(ctx);
  const IntegerList starts = integer_list(ctx, "starts", "starts_tensor");
  const IntegerList ends = integer_list(ctx, "ends", "ends_tensor");
  check_length(ctx, "starts", starts.size(), axes.size());
  check_length(ctx, "ends", ends.size(), axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = static_cast<int>(axes[i] < 0 ? axes[i] + out.rank() : axes[i]);
    const bool known = starts.known && ends.known && out[axis] != kDynamicDim;
    out.set(axis,
            known ? sdk::slice_range(out[axis], starts[i], ends[i], steps[i]).count : kDynamicDim);
  }
  return out;
}

void infer_slice(InferContext& ctx) { ctx.set_output("out", {ctx.dtype("x"), sliced_shape(ctx)}); }

void infer_slice_grad(InferContext& ctx) {
  require_same_dtype(ctx, "x", "out_grad");
  require_shape(ctx, "out_grad", sliced_shape(ctx), "the slice of x");
  ctx.set_output("x_grad", ctx.input("x"));
}

// Within each row.
bool sliced_rows(BatchContext& ctx) {
  return !named_axes(ctx.types(), "axes", ctx.shape("x").rank()).front();
}

bool replaced_rows(BatchContext& ctx) { return sliced_rows(ctx) && element_rows(ctx); }

OpCall<Value> slice_call(const char* op, GradContext& ctx, const Value& x) {
  OpCall<Value> call(op);
  call.input("x", x)
      .input("starts_tensor", ctx.input("starts_tensor"))
      .input("ends_tensor", ctx.input("ends_tensor"));
  for (const char* name : {"axes", "starts", "ends", "steps"}) {
    call.attr(name, ctx.attr<Integers>(name));
  }
  return call;
}

void grad_slice(GradContext& ctx) {
  if (!ctx.needs_grad("x")) return;
  ctx.set_input_grad("x", slice_call("slice_grad", ctx, ctx.input("x"))
                              .input("out_grad", ctx.output_grad("out"))
                              .result());
}

// Linear in out_grad: a slice again.
void grad_slice_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  ctx.set_input_grad("out_grad", slice_call("slice", ctx, ctx.output_grad("x_grad")).result());
}

void infer_set_slice(InferContext& ctx) {
  require_same_dtype(ctx, "x", "y");
  const Shape part = sliced_shape(ctx);
  const std::optional<Shape> repeated = broadcast(ctx.shape("y"), part);
  if (!repeated || !compatible(*repeated, part)) {
    ctx.fail("y is {}, which cannot be repeated to {}, the slice of x", ctx.shape("y").to_string(),
             part.to_string());
  }
  ctx.set_output("out", ctx.input("x"));
}

// The replaced part of x has no gradient; y has that of the part, summed over what was repeated.
void grad_set_slice(GradContext& ctx) {
  const Value grad = ctx.output_grad("out");
  if (ctx.needs_grad("x")) {
    ctx.set_input_grad(
        "x", slice_call("set_slice", ctx, grad).input("y", constant_like(grad, 0.0)).result());
  }
  if (ctx.needs_grad("y")) {
    const Value part = slice_call("slice", ctx, grad).result();
    ctx.set_input_grad("y", undo_broadcast(part, ctx.input("y"), GradContext::type(part).shape));
  }
}

// The offsets of a crop; unknown ones where they are not known.
IntegerList offsets_of(const InferContext& ctx) {
  IntegerList offsets = integer_list(ctx, "offsets", "offsets_tensor");
  const auto rank = static_cast<std::size_t>(ctx.shape("x").rank());
  if (offsets.size() == 0 && !ctx.has_input("offsets_tensor")) offsets.values.assign(rank, 0);
  check_length(ctx, "offsets", offsets.size(), rank);
  for (const std::int64_t offset : offsets.values) {
    if (offset < 0) {
      ctx.fail("offsets {} has {}; give 0 or more", to_string(offsets.values), offset);
    }
  }
  return offsets;
}

// An extent of -1 reaches from the offset to the end.
std::int64_t cropped_extent(const InferContext& ctx, int axis, std::int64_t offset,
                            std::int64_t extent) {
  const std::int64_t whole = ctx.shape("x")[axis];
  if (extent < -1) ctx.fail("shape has the extent {}; give -1, 0 or more", extent);
  if (whole == kDynamicDim) return extent;
  const std::int64_t wanted = extent == -1 ? 0 : extent;
  if (offset > whole || wanted > whole - offset) {
    ctx.fail("a crop of {} from {} on does not fit into axis {} of x {}", extent, offset, axis,
             ctx.shape("x").to_string());
  }
  return extent == -1 ? whole - offset : extent;
}

Shape cropped_shape(const InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  const IntegerList extents = integer_list(ctx, "shape", "shape_tensor");
  check_length(ctx, "shape", extents.size(), static_cast<std::size_t>(x.rank()));
  const IntegerList offsets = offsets_of(ctx);
  Shape out;
  for (int i = 0; i < x.rank(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool reaches = extents.known && extents[at] == -1;
    if (!extents.known || (reaches && !offsets.known)) {
      out.push_back(kDynamicDim);
    } else {
      out.push_back(cropped_extent(ctx, i, offsets[at], extents[at]));
    }
  }
  return out;
}

void infer_crop(InferContext& ctx) { ctx.set_output("out", {ctx.dtype("x"), cropped_shape(ctx)}); }

void infer_crop_grad(InferContext& ctx) {
  require_same_dtype(ctx, "x", "out_grad");
  require_rank(ctx, "out_grad", ctx.shape("x").rank(), "those of x");
  const IntegerList offsets = offsets_of(ctx);
  for (int i = 0; i < ctx.shape("x").rank(); ++i) {
    (void)cropped_extent(ctx, i, offsets[static_cast<std::size_t>(i)], ctx.shape("out_grad")[i]);
  }
  ctx.set_output("x_grad", ctx.input("x"));
}

void grad_crop(GradContext& ctx) {
  if (!ctx.needs_grad("x")) return;
  ctx.set_input_grad("x", OpCall<Value>("crop_tensor_grad")
                              .input("x", ctx.input("x"))
                              .input("out_grad", ctx.output_grad("out"))
                              .input("offsets_tensor", ctx.input("offsets_tensor"))
                              .attr("offsets", ctx.attr<Integers>("offsets"))
                              .result());
}

// A crop again; the extents are those of out_grad.
void grad_crop_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  const Value grad = ctx.output_grad("x_grad");
  ctx.set_input_grad("out_grad", OpCall<Value>("crop_tensor")
                                     .input("x", grad)
                                     .input("shape_tensor", shape(ctx.input("out_grad")))
                                     .input("offsets_tensor", ctx.input("offsets_tensor"))
                                     .attr("offsets", ctx.attr<Integers>("offsets"))
                                     .result());
}

void register_slice(OpRegistry& registry) {
  const Integers none;
  registry.add(OpSchema("slice")
                   .gradient_uses({"slice_grad"})
                   .meaning("the part of x from starts to ends, in steps, along the axes")
                   .input("x")
                   .extents_input("starts_tensor")
                   .extents_input("ends_tensor")
                   .required_attr("axes", none, "dimensions that are cut")
                   .attr("starts", none,
                         "the first position along each axis; negative ones count from the end")
                   .attr("ends", none, "the position after the last, as starts")
                   .attr("steps", none, "distances of the positions; empty: 1")
                   .output("out", Arity::kRequired, Extent::kHostValues)
                   .infer(infer_slice)
                   .gradient(grad_slice)
                   .cost(copy_cost)
                   .batch_rule(sliced_rows)
                   .moves_elements());
  registry.add(OpSchema("slice_grad")
                   .gradient_uses({"slice"})
                   .meaning("zeros of the shape of x with out_grad where the slice lies")
                   .exact()
                   .input("x", kAllDTypes, Arity::kRequired, Residence::kMetadata)
                   .extents_input("starts_tensor")
                   .extents_input("ends_tensor")
                   .input("out_grad")
                   .required_attr("axes", none, "dimensions that are cut")
                   .attr("starts", none,
                         "the first position along each axis; negative ones count from the end")
                   .attr("ends", none, "the position after the last, as starts")
                   .attr("steps", none, "distances of the positions; empty: 1")
                   .output("x_grad")
                   .infer(infer_slice_grad)
                   .gradient(grad_slice_grad)
                   .cost(move_cost)
                   .batch_rule(sliced_rows));
}

void register_set_slice(OpRegistry& registry) {
  const Integers none;
  registry.add(OpSchema("set_slice")
                   .gradient_uses({"fill_constant", "reduce_sum_like", "set_slice", "slice"})
                   .meaning("x with y, repeated as broadcasting does, where the slice lies")
                   .exact()
                   .input("x")
                   .extents_input("starts_tensor")
                   .extents_input("ends_tensor")
                   .input("y")
                   .required_attr("axes", none, "dimensions that are cut")
                   .attr("starts", none,
                         "the first position along each axis; negative ones count from the end")
                   .attr("ends", none, "the position after the last, as starts")
                   .attr("steps", none, "distances of the positions; empty: 1")
                   .output("out")
                   .infer(infer_set_slice)
                   .gradient(grad_set_slice)
                   .cost(move_cost)
                   .batch_rule(replaced_rows));
}

void register_crop_tensor(OpRegistry& registry) {
  const Integers none;
  registry.add(OpSchema("crop_tensor")
                   .gradient_uses({"crop_tensor_grad"})
                   .meaning("the part of x of a shape, from offsets on")
                   .exact()
                   .input("x")
                   .extents_input("offsets_tensor")
                   .extents_input("shape_tensor")
                   .attr("shape", none, "extents of the result; -1 reaches to the end")
                   .attr("offsets", none, "where the result begins; empty: at 0")
                   .output("out", Arity::kRequired, Extent::kHostValues)
                   .infer(infer_crop)
                   .gradient(grad_crop)
                   .cost(copy_cost)
                   .batch_rule(element_rows));
  registry.add(OpSchema("crop_tensor_grad")
                   .gradient_uses({"crop_tensor"})
                   .meaning("zeros of the shape of x with out_grad where the part lies")
                   .exact()
                   .input("x", kAllDTypes, Arity::kRequired, Residence::kMetadata)
                   .extents_input("offsets_tensor")
                   .input("out_grad")
                   .attr("offsets", none, "where the result begins; empty: at 0")
                   .output("x_grad")
                   .infer(infer_crop_grad)
                   .gradient(grad_crop_grad)
                   .cost(move_cost)
                   .batch_rule(element_rows));
}

}  // namespace

void register_slice_ops(OpRegistry& registry) {
  register_slice(registry);
  register_set_slice(registry);
  register_crop_tensor(registry);
}

}  // namespace loci::ops
