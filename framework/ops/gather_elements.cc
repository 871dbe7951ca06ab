// Elements at positions along an axis: gather_elements takes them, scatter_elements writes them.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/scatter_rules.h"

namespace loci::ops {
namespace {

// Fails unless each element of the index stands beside a line of `table`, the slot whose elements
// it names: only along the axis it may have more than the table.
void require_index_of(const InferContext& ctx, std::string_view table) {
  const Shape& whole = ctx.shape(table);
  const Shape& index = ctx.shape("index");
  const int axis = ctx.axis("axis", whole.rank());
  if (index.rank() != whole.rank()) {
    ctx.fail("index has {} dimension(s); give {}, as many as {} has", index.rank(), whole.rank(),
             table);
  }
  for (int i = 0; i < whole.rank(); ++i) {
    const bool known = index[i] != kDynamicDim && whole[i] != kDynamicDim;
    if (i == axis || !known || index[i] <= whole[i]) continue;
    ctx.fail("index {} is longer than {} {} along dimension {}; only along the axis, {}, it may be",
             index.to_string(), table, whole.to_string(), i, axis);
  }
}

void infer_gather_elements(InferContext& ctx) {
  require_index_of(ctx, "x");
  ctx.set_output("out", {ctx.dtype("x"), ctx.shape("index")});
}

void infer_scatter_elements(InferContext& ctx) {
  require_index_of(ctx, "x");
  infer_scatter(ctx, ctx.shape("index"), "one for each element of index");
}

void infer_scatter_elements_grad(InferContext& ctx) {
  require_index_of(ctx, "out_grad");
  ctx.set_output("updates_grad", {ctx.dtype("out_grad"), ctx.shape("index")});
}

// Along the axis of the operator, with its index.
PlaceCalls element_calls(const GradContext& ctx) {
  const auto axis = ctx.attr<std::int64_t>("axis");
  const Value index = ctx.input("index");
  const auto at = static_cast<int>(axis);
  PlaceCalls calls;
  calls.scatter = [=](const Value& x, const Value& updates, const std::string& reduction) {
    return scatter_elements(x, index, updates, at, reduction);
  };
  calls.gather = [=](const Value& x) { return gather_elements(x, index, at); };
  calls.gather_last = [=](const Value& x) {
    return OpCall<Value>("scatter_elements_grad")
        .input("out_grad", x)
        .input("index", index)
        .attr("axis", axis)
        .result();
  };
  return calls;
}

void grad_gather_elements(GradContext& ctx) {
  if (!ctx.needs_grad("x")) return;
  const Value zeros = full_like(ctx.input("x"), 0.0);
  ctx.set_input_grad("x", element_calls(ctx).scatter(zeros, ctx.output_grad("out"), "add"));
}

void grad_scatter_elements(GradContext& ctx) { grad_of_scatter(ctx, element_calls(ctx)); }

// Linear in out_grad: of all that name an element, the one that was taken is written last.
void grad_scatter_elements_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  const Value zeros = full_like(ctx.input("out_grad"), 0.0);
  const Value grad = ctx.output_grad("updates_grad");
  ctx.set_input_grad("out_grad", element_calls(ctx).scatter(zeros, grad, kReplace));
}

// Positions along another axis than that of rows stay within a row.
bool are_positions_in_rows(BatchContext& ctx, std::string_view table) {
  const Shape& whole = ctx.shape(table);
  const int axis = ctx.types().axis("axis", whole.rank());
  return axis != 0 && ctx.carries(table) && ctx.carries("index") &&
         ctx.is_index("index", whole[axis]);
}

// Along that of rows, each row of the index is looked up in a whole x.
bool gathered_element_rows(BatchContext& ctx) {
  if (are_positions_in_rows(ctx, "x")) return true;
  const Shape& x = ctx.shape("x");
  return ctx.types().axis("axis", x.rank()) == 0 && only_carry(ctx, {"index"}) &&
         ctx.is_index("index", x[0]);
}

bool scattered_element_rows(BatchContext& ctx) {
  return are_positions_in_rows(ctx, "x") && ctx.carries("updates");
}

bool taken_gradient_rows(BatchContext& ctx) { return are_positions_in_rows(ctx, "out_grad"); }

}  // namespace

void register_gather_elements_ops(OpRegistry& registry) {
  registry.add(OpSchema("gather_elements")
                   .gradient_uses({"full_like", "scatter_elements"})
                   .meaning("the element of x at the position along the axis that each element "
                            "of index says")
                   .exact()
                   .input("x")
                   .input("index", kIndices)
                   .attr("axis", std::int64_t{0},
                         "the dimension along which; a negative one counts from the end")
                   .output("out")
                   .infer(infer_gather_elements)
                   .gradient(grad_gather_elements)
                   .cost(copy_cost)
                   .batch_rule(gathered_element_rows));
  registry.add(scatter_schema("scatter_elements")
                   .gradient_uses(scatter_gradient_ops("gather_elements", "scatter_elements"))
                   .meaning("x whose elements at the positions of index along the axis are "
                            "updates, or reduced with them")
                   .attr("axis", std::int64_t{0},
                         "the dimension along which; a negative one counts from the end")
                   .infer(infer_scatter_elements)
                   .gradient(grad_scatter_elements)
                   .batch_rule(scattered_element_rows));
  registry.add(OpSchema("scatter_elements_grad")
                   .gradient_uses({"full_like", "scatter_elements"})
                   .meaning("out_grad at the positions of index along the axis; zero where a later "
                            "one names the same")
                   .exact()
                   .input("out_grad", kFloats)
                   .input("index", kIndices)
                   .attr("axis", std::int64_t{0},
                         "the dimension along which; a negative one counts from the end")
                   .output("updates_grad")
                   .infer(infer_scatter_elements_grad)
                   .gradient(grad_scatter_elements_grad)
                   .cost(copy_cost)
                   .batch_rule(taken_gradient_rows));
}

}  // namespace loci::ops
