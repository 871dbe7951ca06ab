// Constants.
#include <cstdint>
#include <limits>
#include <loci/plugin/range.hpp>

#include "framework/core/integer_range.h"
#include "framework/ops/batch_rules.h"
#include "framework/ops/integer_list.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void check_fill_value(const InferContext& ctx, DType dtype) {
  const auto value = ctx.attr<double>("value");
  if (!is_integer(dtype) || core::fits_integer(value, dtype)) return;
  ctx.fail("value {} does not fit into {}; give one that does or another dtype", value,
           dtype_name(dtype));
}

void infer_fill_constant(InferContext& ctx) {
  const auto dtype = ctx.attr<DType>("dtype");
  if (!kAllDTypes.contains(dtype))
    ctx.fail("dtype is none; give one of {}", kAllDTypes.to_string());
  check_fill_value(ctx, dtype);
  if (ctx.has_input("value_tensor") && !compatible(ctx.shape("value_tensor"), {1}) &&
      !compatible(ctx.shape("value_tensor"), {})) {
    ctx.fail("value_tensor is {}; give one element", ctx.shape("value_tensor").to_string());
  }
  ctx.set_output("out", {dtype, given_shape(ctx, "shape", "shape_tensor")});
}

void infer_assign_value(InferContext& ctx) {
  const auto dtype = ctx.attr<DType>("dtype");
  if (!kAllDTypes.contains(dtype))
    ctx.fail("dtype is none; give one of {}", kAllDTypes.to_string());
  const Shape shape = shape_attribute(ctx, "shape");
  const bool floating = kFloats.contains(dtype);
  const std::size_t values = ctx.attr<std::vector<double>>("values").size();
  const std::size_t integers = ctx.attr<std::vector<std::int64_t>>("integers").size();
  if ((floating ? integers : values) != 0) {
    ctx.fail("a result of {} takes {}", dtype_name(dtype), floating ? "values" : "integers");
  }
  const std::size_t given = floating ? values : integers;
  const std::int64_t wanted = extent_product(ctx, shape, 0, shape.rank());
  if (static_cast<std::int64_t>(given) != wanted) {
    ctx.fail("{} elements are given for the shape {}; give {}", given, shape.to_string(), wanted);
  }
  ctx.set_output("out", {dtype, shape});
}

void infer_full_like(InferContext& ctx) {
  check_fill_value(ctx, ctx.dtype("x"));
  ctx.set_output("out", ctx.input("x"));
}

void check_range_fits(const InferContext& ctx, std::int64_t element, DType dtype) {
  if (!is_integer(dtype) || core::holds_integer(element, dtype)) return;
  ctx.fail("element {} does not fit into {}; give bounds whose elements do, or another dtype",
           element, dtype_name(dtype));
}

void infer_range(InferContext& ctx) {
  const auto dtype = ctx.attr<DType>("dtype");
  if (!kNumbers.contains(dtype)) {
    ctx.fail("dtype is {}; give one of {}", dtype_name(dtype), kNumbers.to_string());
  }
  const IntegerList bounds = integer_list(ctx, "bounds", "bounds_tensor");
  if (bounds.size() != 3) {
    ctx.fail("bounds has {} elements; give three, start, limit and step", bounds.size());
  }
  if (!bounds.known) return ctx.set_output("out", {dtype, Shape{kDynamicDim}});
  const sdk::IntegerRange range = sdk::integer_range(bounds.values.data());
  if (range.step == 0) ctx.fail("step is 0; give another number");
  const std::uint64_t count = range.count(bounds[1]);
  if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    ctx.fail("{} elements are more than a shape can have; give a larger step", count);
  }
  if (count > 0) {
    check_range_fits(ctx, range[0], dtype);
    check_range_fits(ctx, range[count - 1], dtype);
  }
  ctx.set_output("out", {dtype, Shape{static_cast<std::int64_t>(count)}});
}

}  // namespace

void register_creation_ops(OpRegistry& registry) {
  const std::vector<std::int64_t> shape;
  registry.add(OpSchema("fill_constant")
                   .meaning("a tensor of one value")
                   .exact()
                   .extents_input("shape_tensor")
                   .input("value_tensor", kAllDTypes, Arity::kOptional, Residence::kHost)
                   .attr("shape", shape, "of the result")
                   .attr("value", 0.0, "of every element")
                   .attr("dtype", kFloat32, "of the result")
                   .output("out", Arity::kRequired, Extent::kHostValues)
                   .of_dtype(DTypeRule::attribute("dtype"))
                   .infer(infer_fill_constant)
                   .batch_rule(element_rows));
  // Elements that are said one by one: "values" of a floating dtype, "integers" of any other.
  registry.add(OpSchema("assign_value")
                   .meaning("a tensor of the elements that attributes say")
                   .exact()
                   .required_attr("shape", shape, "of the result")
                   .attr("values", std::vector<double>{}, "the elements of a floating dtype")
                   .attr("integers", std::vector<std::int64_t>{}, "the elements of another dtype")
                   .attr("dtype", kFloat32, "of the result")
                   .output("out")
                   .of_dtype(DTypeRule::attribute("dtype"))
                   .infer(infer_assign_value));
  // Without a gradient: nothing depends on the elements of x.
  registry.add(OpSchema("full_like")
                   .meaning("a tensor of one value, of the form of x")
                   .exact()
                   .input("x", kAllDTypes, Arity::kRequired, Residence::kMetadata)
                   .attr("value", 0.0, "of every element")
                   .output("out")
                   .infer(infer_full_like)
                   .batch_rule(element_rows));
  registry.add(OpSchema("range")
                   .meaning("the integers from start on, step apart, before limit")
                   .exact()
                   .extents_input("bounds_tensor")
                   .attr("bounds", shape, "[start, limit, step]")
                   .attr("dtype", kInt64, "of the result")
                   .output("out", Arity::kRequired, Extent::kHostValues)
                   .of_dtype(DTypeRule::attribute("dtype"))
                   .infer(infer_range));
}

}  // namespace loci::ops
