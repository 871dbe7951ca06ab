// Update rules: they change parameters in place.
#include "framework/ops/cost.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void require_one_number(const InferContext& ctx, std::string_view slot) {
  for (const std::int64_t extent : ctx.shape(slot)) {
    if (!compatible(extent, 1)) {
      ctx.fail("{} is {}; give one number, of shape [] or [1]", slot, ctx.shape(slot).to_string());
    }
  }
}

// One number, or a list of them that has `count` from number `first` on; 0 stands for all of them.
void require_counts(const InferContext& ctx, std::string_view slot, std::int64_t first,
                    std::int64_t count) {
  const Shape& shape = ctx.shape(slot);
  if (shape.rank() > 1) {
    ctx.fail("{} is {}; give numbers of shape [] or [count]", slot, shape.to_string());
  }
  const std::int64_t size = shape.rank() == 0 ? 1 : shape[0];
  if (first >= 0 && count >= 0 && (size == kDynamicDim || first + count <= size)) return;
  ctx.fail("{} is {}, which has no {} numbers from number {} on; give some of those that it has",
           slot, shape.to_string(), count, first);
}

// A gradient like the parameter; or, with rows, one row of it for each row id.
void require_gradient(const InferContext& ctx) {
  require_same_dtype(ctx, "param", "grad");
  require_one_number(ctx, "learning_rate");
  const Shape& param = ctx.shape("param");
  if (!ctx.has_input("rows")) {
    return require_shape(ctx, "grad", param, "the shape of the parameter");
  }
  require_rank(ctx, "rows", 1, "[rows of the gradient]");
  if (param.rank() == 0) ctx.fail("param has no rows; a row-sparse gradient needs some");
  Shape expected = param;
  expected.set(0, ctx.shape("rows")[0]);
  require_shape(ctx, "grad", expected, "the parameter's rows that the rows name");
}

// State is kept in the dtype computed in.
void require_state(const InferContext& ctx, std::string_view slot) {
  const DType param = ctx.dtype("param");
  const DType state = param == kFloat64 ? kFloat64 : kFloat32;
  if (ctx.dtype(slot) != state) {
    ctx.fail("{} is {}; for a parameter of {} it has to be {}", slot, dtype_name(ctx.dtype(slot)),
             dtype_name(param), dtype_name(state));
  }
  require_shape(ctx, slot, ctx.shape("param"), "the shape of the parameter");
}

void require_share(const InferContext& ctx, std::string_view attribute) {
  const auto value = ctx.attr<double>(attribute);
  if (!(value >= 0 && value < 1)) ctx.fail("{} is {}; give one in [0, 1)", attribute, value);
}

void infer_sgd(InferContext& ctx) { require_gradient(ctx); }

void infer_momentum(InferContext& ctx) {
  require_gradient(ctx);
  require_state(ctx, "velocity");
}

void infer_adam(InferContext& ctx) {
  require_gradient(ctx);
  require_state(ctx, "moment1");
  require_state(ctx, "moment2");
  require_counts(ctx, "step", ctx.attr<std::int64_t>("counter"), 1);
  require_share(ctx, "beta1");
  require_share(ctx, "beta2");
}

void infer_increment(InferContext& ctx) {
  const auto count = ctx.attr<std::int64_t>("count");
  require_counts(ctx, "x", ctx.attr<std::int64_t>("first"), count);
}

Cost cost_of_sgd(const InferContext& ctx) { return elementwise_cost(ctx, /*flops=*/2); }

OpSchema update(const char* name, InferFn infer) {
  OpSchema schema(name);
  schema.input("param", kFloats).input("grad", kFloats);
  schema.infer(std::move(infer));
  return schema;
}

}  // namespace

void register_optimizer_ops(OpRegistry& registry) {
  // The rate is read where the parameter is: it is state of the program, so that a captured step
  // sees it change and nothing is copied to the host in between. The step counter likewise.
  registry.add(update("sgd", infer_sgd)
                   .meaning("param - learning_rate * grad")
                   .accuracy("2 roundoffs of |learning_rate * grad|, 1 of |param_out|; of rows, n "
                             "- 1 of learning_rate * sum |grad|, n of one row")
                   .input("learning_rate", {kFloat32})
                   .input("rows", kIndices, Arity::kOptional)
                   .updates("param_out", "param")
                   .cost(cost_of_sgd));
  registry.add(
      update("momentum", infer_momentum)
          .meaning("an update with a velocity: mu * velocity + grad")
          .accuracy("velocity_out: 3 roundoffs of |mu * velocity|, 1 of itself, n - 1 of sum "
                    "|grad| of n rows; param_out: what its step has, 2 of the step, 1 of itself")
          .input("velocity", kFloats)
          .input("learning_rate", {kFloat32})
          .input("rows", kIndices, Arity::kOptional)
          .attr("mu", 0.9, "what stays of the velocity in an update")
          .attr("use_nesterov", false, "whether the step is grad + mu * velocity_out")
          .attr("lazy_mode", false,
                "whether rows that do not occur keep their state, else they see a gradient of 0")
          .updates("param_out", "param")
          .updates("velocity_out", "velocity"));
  registry.add(
      update("adam", infer_adam)
          .meaning("an update by two moments of the gradient, without their bias at the start; "
                   "step[counter] counts the updates")
          .accuracy("moments: 2 roundoffs of what is kept, 3 of what is added, 1 of their sum; "
                    "param_out: what those have, 8 of its step, 2 of |param|, 1 of itself")
          .input("moment1", kFloats)
          .input("moment2", kFloats)
          .input("step", {kInt64})
          .input("learning_rate", {kFloat32})
          .input("rows", kIndices, Arity::kOptional)
          .attr("beta1", 0.9, "what stays of moment1 in an update")
          .attr("beta2", 0.999, "what stays of moment2 in an update")
          .attr("epsilon", 1e-8, "added to the root of moment2")
          .attr("weight_decay", 0.0,
                "what the parameter is multiplied by to decay, besides the learning rate")
          .attr("lazy_mode", false,
                "whether rows that do not occur keep their state, else they see a gradient of 0")
          .attr("counter", std::int64_t{0}, "the element of step that counts")
          .updates("param_out", "param")
          .updates("moment1_out", "moment1")
          .updates("moment2_out", "moment2"));
  registry.add(OpSchema("increment")
                   .meaning("x + step; with a count only of that many numbers from first on")
                   .exact()
                   .input("x", {kInt64})
                   .attr("step", std::int64_t{1}, "what is added")
                   .attr("first", std::int64_t{0}, "the first element that changes, with a count")
                   .attr("count", std::int64_t{0}, "how many elements change; 0: all")
                   .updates("out", "x")
                   .infer(infer_increment));
}

}  // namespace loci::ops
