// Random numbers, and the state that they come from.
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

void require_random_state(const InferContext& ctx) {
  require_shape(ctx, "state", {2}, "the seed and the run");
}

void infer_random(InferContext& ctx) {
  require_drawn_state(ctx);
  const auto dtype = ctx.attr<DType>("dtype");
  if (!kFloats.contains(dtype)) {
    ctx.fail("dtype is {}; give one of {}", dtype_name(dtype), kFloats.to_string());
  }
  const auto offset = ctx.attr<std::int64_t>("offset");
  if (offset < 0) ctx.fail("offset is {}; it counts random operators from 0", offset);
  ctx.set_output("out", {dtype, shape_attribute(ctx, "shape")});
}

// The largest finite number of a floating dtype.
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

void infer_fold_in(InferContext& ctx) {
  require_drawn_state(ctx);
  const auto offset = ctx.attr<std::int64_t>("offset");
  if (offset < 0) ctx.fail("offset is {}; it counts random operators from 0", offset);
  if (ctx.has_input("index")) require_shape(ctx, "index", {1}, "one number");
  ctx.set_output("out", {kUInt64, Shape{2}});
}

CostFn cost_per_element(std::int64_t flops) {
  return [flops](const InferContext& ctx) { return elementwise_cost(ctx, flops); };
}

void register_random_states(OpRegistry& registry) {
  // A random state of its own for the draws of a block, so that they hang on nothing that is drawn
  // elsewhere. Its seed is what a random operator of this offset would draw: words 0 and 1 of the
  // block `index`, low word first; without an index, of block 0. The run is 0.
  registry.add(OpSchema("random_fold_in")
                   .meaning("a random state made of state, offset and index")
                   .exact()
                   .random()
                   .input("index", {kInt64}, Arity::kOptional)
                   .draws_by("index")
                   .output("out")
                   .infer(infer_fold_in));
  // Adds one to the run of the random state, so that the next run draws other numbers. The executor
  // appends it to programs that draw any.
  registry.add(OpSchema("random_advance")
                   .meaning("the random state of the next run")
                   .exact()
                   .input("state", {kUInt64})
                   .updates("state_out", "state")
                   .infer(require_random_state));
}

}  // namespace

void register_random_ops(OpRegistry& registry) {
  const std::vector<std::int64_t> shape;
  registry.add(OpSchema("uniform_random")
                   .meaning("uniform numbers from low to high")
                   .exact()
                   .random()
                   .required_attr("shape", shape, "of the result")
                   .attr("low", 0.0, "the lower end, included")
                   .attr("high", 1.0, "the upper end, excluded")
                   .attr("dtype", kFloat32, "of the result")
                   .output("out")
                   .of_dtype(DTypeRule::attribute("dtype"))
                   .infer(infer_uniform)
                   .cost(cost_per_element(kUniformFlops)));
  registry.add(OpSchema("gaussian_random")
                   .meaning("normal numbers")
                   .accuracy("4 roundoffs of |out|; of float64 also 16 of deviation * max(r, 1), r "
                             "= sqrt(-2 * log(u))")
                   .random()
                   .required_attr("shape", shape, "of the result")
                   .attr("mean", 0.0, "of the numbers")
                   .attr("deviation", 1.0, "the standard deviation")
                   .attr("dtype", kFloat32, "of the result")
                   .output("out")
                   .of_dtype(DTypeRule::attribute("dtype"))
                   .infer(infer_gaussian)
                   .cost(cost_per_element(kNormalFlops)));
  register_random_states(registry);
}

}  // namespace loci::ops
