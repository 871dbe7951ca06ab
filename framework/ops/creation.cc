// Values from nothing: constants and random numbers, and the state that random numbers come from.
#include <cmath>
#include <limits>

#include "framework/ops/cost.h"
#include "framework/ops/integer_list.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// Ten rounds of Philox, shared by four numbers, and the conversion.
constexpr std::int64_t kUniformFlops = 20;
constexpr std::int64_t kNormalFlops = 40;

// Whether the conversion of `value` to an integer dtype is defined.
bool fits_integer(double value, DType dtype) {
  const bool is_signed = dtype == kInt8 || dtype == kInt16 || dtype == kInt32 || dtype == kInt64;
  const int bits = 8 * static_cast<int>(dtype_size(dtype));
  const double limit = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  const double whole = std::trunc(value);
  return whole >= (is_signed ? -limit : 0.0) && whole < limit;
}

void check_fill_value(const InferContext& ctx, DType dtype) {
  const auto value = ctx.attr<double>("value");
  if (!is_integer(dtype) || fits_integer(value, dtype)) return;
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

void require_random_state(const InferContext& ctx) {
  require_shape(ctx, "state", {2}, "the seed and the run");
}

void infer_random(InferContext& ctx) {
  require_random_state(ctx);
  const auto dtype = ctx.attr<DType>("dtype");
  if (!kFloats.contains(dtype)) {
    ctx.fail("dtype is {}; give one of {}", dtype_name(dtype), kFloats.to_string());
  }
  const auto offset = ctx.attr<std::int64_t>("offset");
  if (offset < 0) ctx.fail("offset is {}; it counts random operators from 0", offset);
  ctx.set_output("out", {dtype, shape_attribute(ctx, "shape")});
}

// Of a floating dtype.
double largest_number(DType dtype) {
  if (dtype == kFloat16) return 65504;
  if (dtype == kBFloat16) return 0x1.FEp127;
  return dtype == kFloat32 ? static_cast<double>(std::numeric_limits<float>::max())
                           : std::numeric_limits<double>::max();
}

void infer_uniform(InferContext& ctx) {
  const auto low = ctx.attr<double>("low");
  const auto high = ctx.attr<double>("high");
  if (!std::isfinite(low) || !std::isfinite(high) || low >= high) {
    ctx.fail("low is {} and high is {}; give finite ones with low < high", low, high);
  }
  infer_random(ctx);
  const auto dtype = ctx.attr<DType>("dtype");
  const double most = largest_number(dtype);
  if (low < -most || high > most) {
    ctx.fail(
        "low is {} and high is {}, but {} ends at {}; give bounds within that, or a wider dtype",
        low, high, dtype_name(dtype), most);
  }
}

void infer_gaussian(InferContext& ctx) {
  const auto mean = ctx.attr<double>("mean");
  const auto deviation = ctx.attr<double>("deviation");
  if (!std::isfinite(mean)) ctx.fail("mean is {}; give a finite one", mean);
  if (!std::isfinite(deviation) || deviation < 0) {
    ctx.fail("deviation is {}; give a finite one that is not negative", deviation);
  }
  infer_random(ctx);
}

CostFn cost_per_element(std::int64_t flops) {
  return [flops](const InferContext& ctx) { return elementwise_cost(ctx, flops); };
}

void register_constants(OpRegistry& registry) {
  const std::vector<std::int64_t> shape;
  registry.add(OpSchema("fill_constant")
                   .extents_input("shape_tensor")
                   .input("value_tensor", kAllDTypes, Arity::kOptional, Residence::kHost)
                   .attr("shape", shape)
                   .attr("value", 0.0)
                   .attr("dtype", kFloat32)
                   .output("out", Arity::kRequired, Extent::kHostValues)
                   .infer(infer_fill_constant));
  // Elements that are said one by one: "values" of a floating dtype, "integers" of any other.
  registry.add(OpSchema("assign_value")
                   .required_attr("shape", shape)
                   .attr("values", std::vector<double>{})
                   .attr("integers", std::vector<std::int64_t>{})
                   .attr("dtype", kFloat32)
                   .output("out")
                   .infer(infer_assign_value));
  // Without a gradient: nothing depends on the elements of x.
  registry.add(OpSchema("full_like")
                   .input("x", kAllDTypes, Arity::kRequired, Residence::kMetadata)
                   .attr("value", 0.0)
                   .output("out")
                   .infer(infer_full_like));
}

void register_random(OpRegistry& registry) {
  const std::vector<std::int64_t> shape;
  registry.add(OpSchema("uniform_random")
                   .random()
                   .required_attr("shape", shape)
                   .attr("low", 0.0)
                   .attr("high", 1.0)
                   .attr("dtype", kFloat32)
                   .output("out")
                   .infer(infer_uniform)
                   .cost(cost_per_element(kUniformFlops)));
  registry.add(OpSchema("gaussian_random")
                   .random()
                   .required_attr("shape", shape)
                   .attr("mean", 0.0)
                   .attr("deviation", 1.0)
                   .attr("dtype", kFloat32)
                   .output("out")
                   .infer(infer_gaussian)
                   .cost(cost_per_element(kNormalFlops)));
  // Adds one to the run of the random state, so that the next run draws other numbers. The executor
  // appends it to programs that draw any.
  registry.add(OpSchema("random_advance")
                   .input("state", {kUInt64})
                   .updates("state_out", "state")
                   .infer(require_random_state));
}

}  // namespace

void register_creation_ops(OpRegistry& registry) {
  register_constants(registry);
  register_random(registry);
}

}  // namespace loci::ops
