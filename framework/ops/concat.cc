// Tensors put together along an axis, and taken apart: concat and split along one that is there,
// stack and unstack along a new one.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

using Integers = std::vector<std::int64_t>;

// A typing error rather than a wish.
constexpr std::int64_t kMostParts = 65536;

// Merges the shapes of all x; `free_axis` may differ, -1: none.
Shape common_shape(const InferContext& ctx, int free_axis) {
  const std::size_t count = ctx.input_count("x");
  Shape common = ctx.shape("x");
  for (std::size_t i = 1; i < count; ++i) {
    Shape other = ctx.shape("x", i);
    if (ctx.dtype("x", i) != ctx.dtype("x")) {
      ctx.fail("x {} is {} and x 0 is {}; all need one dtype", i, dtype_name(ctx.dtype("x", i)),
               dtype_name(ctx.dtype("x")));
    }
    if (other.rank() == common.rank() && free_axis >= 0) other.set(free_axis, common[free_axis]);
    if (!compatible(common, other)) {
      ctx.fail("x {} is {} and x 0 is {}; they may differ {}", i, ctx.shape("x", i).to_string(),
               ctx.shape("x").to_string(),
               free_axis < 0 ? "in nothing" : fmt::format("along axis {} only", free_axis));
    }
    common = merged(common, other);
  }
  return common;
}

void require_some(const InferContext& ctx) {
  if (ctx.input_count("x") == 0) ctx.fail("x is empty; give at least one value");
}

// The sum of the extents of all x along the axis.
std::int64_t total_extent(const InferContext& ctx, int axis) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < ctx.input_count("x"); ++i) {
    const std::int64_t extent = ctx.shape("x", i)[axis];
    if (extent == kDynamicDim) return kDynamicDim;
    if (__builtin_add_overflow(total, extent, &total)) {
      ctx.fail("the extents along axis {} add up to more than 63 bits hold", axis);
    }
  }
  return total;
}

Shape concat_shape(const InferContext& ctx) {
  require_some(ctx);
  const int axis = ctx.axis("axis", ctx.shape("x").rank());
  Shape out = common_shape(ctx, axis);
  out.set(axis, total_extent(ctx, axis));
  return out;
}

void infer_concat(InferContext& ctx) {
  const Shape out = concat_shape(ctx);
  ctx.set_output("out", {ctx.dtype("x"), out});
}

void infer_concat_grad(InferContext& ctx) {
  require_shape(ctx, "out_grad", concat_shape(ctx), "all x put together");
  for (std::size_t i = 0; i < ctx.input_count("x"); ++i) {
    ctx.set_output("x_grad", {ctx.dtype("out_grad"), ctx.shape("x", i)}, i);
  }
}

std::vector<Value> inputs_of(const GradContext& ctx, const char* slot) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < ctx.input_count(slot); ++i) values.push_back(ctx.input(slot, i));
  return values;
}

void set_input_grads(GradContext& ctx, const std::vector<Value>& grads) {
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (ctx.needs_grad("x", i)) ctx.set_input_grad("x", grads[i], i);
  }
}

// The gradient of each of `count` outputs: zeros where none reaches it.
std::vector<Value> output_grads(const GradContext& ctx, const char* slot, std::size_t count) {
  std::vector<Value> grads;
  for (std::size_t i = 0; i < count; ++i) {
    const Value grad = ctx.output_grad(slot, i);
    grads.push_back(grad.defined() ? grad : full_like(ctx.output(slot, i), 0.0));
  }
  return grads;
}

void grad_concat(GradContext& ctx) {
  set_input_grads(ctx, OpCall<Value>("concat_grad")
                           .input("out_grad", ctx.output_grad("out"))
                           .inputs_of("x", inputs_of(ctx, "x"))
                           .attr("axis", ctx.attr<std::int64_t>("axis"))
                           .results());
}

void grad_concat_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  ctx.set_input_grad("out_grad", concat(output_grads(ctx, "x_grad", ctx.input_count("x")),
                                        static_cast<int>(ctx.attr<std::int64_t>("axis"))));
}

void infer_stack(InferContext& ctx) {
  require_some(ctx);
  const Shape common = common_shape(ctx, -1);
  if (common.rank() == Shape::kMaxRank) {
    ctx.fail("x has {} dimensions; the result would have one more than is supported",
             common.rank());
  }
  const int axis = ctx.axis("axis", common.rank() + 1);
  Shape out = slice(common, 0, axis);
  out.push_back(static_cast<std::int64_t>(ctx.input_count("x")));
  for (int i = axis; i < common.rank(); ++i) out.push_back(common[i]);
  ctx.set_output("out", {ctx.dtype("x"), out});
}

void grad_stack(GradContext& ctx) {
  set_input_grads(
      ctx, unstack(ctx.output_grad("out"), static_cast<int>(ctx.attr<std::int64_t>("axis"))));
}

void infer_unstack(InferContext& ctx) {
  const Shape& x = ctx.shape("x");
  const int axis = ctx.axis("axis", x.rank());
  if (x[axis] <= 0 || x[axis] > kMostParts) {
    ctx.fail("axis {} of x {} gives the number of results; it must be known and in [1, {}]", axis,
             x.to_string(), kMostParts);
  }
  Shape part = slice(x, 0, axis);
  for (int i = axis + 1; i < x.rank(); ++i) part.push_back(x[i]);
  // From the last on, so that the list has its length at once.
  for (std::int64_t i = x[axis]; i-- > 0;) {
    ctx.set_output("out", {ctx.dtype("x"), part}, static_cast<std::size_t>(i));
  }
}

void grad_unstack(GradContext& ctx) {
  const Shape x = GradContext::type(ctx.input("x")).shape;
  const auto axis = static_cast<int>(ctx.attr<std::int64_t>("axis"));
  const std::int64_t count = x[axis < 0 ? axis + x.rank() : axis];
  ctx.set_input_grad("x", stack(output_grads(ctx, "out", static_cast<std::size_t>(count)), axis));
}

// An extent of -1 takes what the others leave.
Integers resolved_sections(const InferContext& ctx, std::int64_t extent) {
  Integers sections = ctx.attr<Integers>("sections");
  if (sections.size() > static_cast<std::size_t>(kMostParts)) {
    ctx.fail("there are {} sections; give at most {}", sections.size(), kMostParts);
  }
  const std::string text = to_string(sections);
  std::int64_t inferred = -1;
  std::int64_t given = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (sections[i] < -1) ctx.fail("sections {} has {}; give -1, 0 or more", text, sections[i]);
    if (sections[i] >= 0 && __builtin_add_overflow(given, sections[i], &given)) {
      ctx.fail("sections {} add up to more than 63 bits hold", text);
    }
    if (sections[i] != -1) continue;
    if (inferred >= 0) ctx.fail("sections {} has more than one -1; one can be inferred", text);
    inferred = static_cast<std::int64_t>(i);
  }
  if (extent == kDynamicDim) return sections;
  if (inferred >= 0 ? given > extent : given != extent) {
    ctx.fail("sections {} do not add up to {}, the extent of x", text, extent);
  }
  if (inferred >= 0) sections[static_cast<std::size_t>(inferred)] = extent - given;
  return sections;
}

// The extents of the parts.
Integers parts_of(const InferContext& ctx, std::int64_t extent) {
  const auto num = ctx.attr<std::int64_t>("num");
  const bool by_sections = !ctx.attr<Integers>("sections").empty();
  if (by_sections == (num != 0)) ctx.fail("give either num or sections; num is {}", num);
  if (by_sections) return resolved_sections(ctx, extent);
  if (num < 0 || num > kMostParts) ctx.fail("num is {}; give one in [1, {}]", num, kMostParts);
  if (extent != kDynamicDim && extent % num != 0) {
    ctx.fail("an extent of {} cannot be split into {} equal parts; give sections", extent, num);
  }
  return Integers(static_cast<std::size_t>(num), extent == kDynamicDim ? extent : extent / num);
}

void infer_split(InferContext& ctx) {
  Shape part = ctx.shape("x");
  const int axis = ctx.axis("axis", part.rank());
  const Integers parts = parts_of(ctx, part[axis]);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    part.set(axis, parts[i]);
    ctx.set_output("out", {ctx.dtype("x"), part}, i);
  }
}

void grad_split(GradContext& ctx) {
  const std::size_t sections = ctx.attr<Integers>("sections").size();
  const std::size_t count =
      sections > 0 ? sections : static_cast<std::size_t>(ctx.attr<std::int64_t>("num"));
  ctx.set_input_grad("x", concat(output_grads(ctx, "out", count),
                                 static_cast<int>(ctx.attr<std::int64_t>("axis"))));
}

// Along an axis that the inputs do not have yet.
bool stacked_rows(BatchContext& ctx) {
  return ctx.types().axis("axis", ctx.shape("x").rank() + 1) != 0;
}

}  // namespace

void register_concat_ops(OpRegistry& registry) {
  registry.add(OpSchema("concat")
                   .gradient_uses({"concat_grad"})
                   .meaning("all x one after the other along the axis")
                   .exact()
                   .input("x", kAllDTypes, Arity::kVariadic)
                   .attr("axis", std::int64_t{0},
                         "the dimension along which; a negative one counts from the end")
                   .output("out")
                   .infer(infer_concat)
                   .gradient(grad_concat)
                   .cost(move_cost)
                   .batch_rule(rows_beside_axis("x")));
  registry.add(
      OpSchema("concat_grad")
          .gradient_uses({"concat"})
          .meaning("the parts of out_grad that belong to each x, of which only the shape is read")
          .exact()
          .input("out_grad")
          .input("x", kAllDTypes, Arity::kVariadic, Residence::kMetadata)
          .attr("axis", std::int64_t{0},
                "the dimension along which; a negative one counts from the end")
          .output("x_grad", Arity::kVariadic)
          .infer(infer_concat_grad)
          .gradient(grad_concat_grad)
          .cost(move_cost)
          .batch_rule(rows_beside_axis("out_grad")));
  registry.add(OpSchema("stack")
                   .gradient_uses({"unstack"})
                   .meaning("all x along a new axis")
                   .exact()
                   .input("x", kAllDTypes, Arity::kVariadic)
                   .attr("axis", std::int64_t{0},
                         "the dimension along which; a negative one counts from the end")
                   .output("out")
                   .infer(infer_stack)
                   .gradient(grad_stack)
                   .cost(move_cost)
                   .batch_rule(stacked_rows));
  registry.add(OpSchema("unstack")
                   .gradient_uses({"stack"})
                   .meaning("the slices of x along the axis, without it")
                   .exact()
                   .input("x")
                   .attr("axis", std::int64_t{0},
                         "the dimension along which; a negative one counts from the end")
                   .output("out", Arity::kVariadic)
                   .infer(infer_unstack)
                   .gradient(grad_unstack)
                   .cost(move_cost)
                   .batch_rule(rows_beside_axis("x")));
  registry.add(OpSchema("split")
                   .gradient_uses({"concat"})
                   .meaning("the parts of x along the axis")
                   .exact()
                   .input("x")
                   .attr("num", std::int64_t{0}, "how many equal parts; 0: sections are given")
                   .attr("sections", Integers{},
                         "extents of the parts; one may be -1, what the others leave")
                   .attr("axis", std::int64_t{0},
                         "the dimension along which; a negative one counts from the end")
                   .output("out", Arity::kVariadic)
                   .infer(infer_split)
                   .gradient(grad_split)
                   .cost(move_cost)
                   .batch_rule(rows_beside_axis("x")));
}

}  // namespace loci::ops
