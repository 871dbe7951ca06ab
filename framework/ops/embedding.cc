// Rows of a table by id, and the two forms of their gradient.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

constexpr std::int64_t kNoPadding = -1;

void check_table(const InferContext& ctx) {
  require_rank(ctx, "weight", 2, "[rows, width]");
  const auto padding = ctx.attr<std::int64_t>("padding_idx");
  const std::int64_t rows = ctx.shape("weight")[0];
  if (padding >= kNoPadding && (rows == kDynamicDim || padding < rows)) return;
  ctx.fail("padding_idx is {}; give a row in [0, {}), or -1 for none", padding, rows);
}

Shape looked_up_shape(const InferContext& ctx) {
  const Shape& ids = ctx.shape("ids");
  if (ids.rank() == Shape::kMaxRank) {
    ctx.fail("ids has {} dimensions; the result would have one more than the {} that are supported",
             ids.rank(), Shape::kMaxRank);
  }
  Shape result = ids;
  result.push_back(ctx.shape("weight")[1]);
  return result;
}

void infer_embedding(InferContext& ctx) {
  check_table(ctx);
  ctx.set_output("out", {ctx.dtype("weight"), looked_up_shape(ctx)});
}

void infer_embedding_grad(InferContext& ctx) {
  check_table(ctx);
  require_same_dtype(ctx, "weight", "out_grad");
  require_shape(ctx, "out_grad", looked_up_shape(ctx), "ids and the width of the table");
  ctx.set_output("weight_grad", ctx.input("weight"));
}

void infer_embedding_rows_grad(InferContext& ctx) {
  const Shape& ids = ctx.shape("ids");
  const Shape& grad = ctx.shape("out_grad");
  if (grad.rank() != ids.rank() + 1 || !compatible(slice(grad, 0, ids.rank()), ids)) {
    ctx.fail("out_grad is {}; it must be ids {} with one more dimension, the width",
             grad.to_string(), ids.to_string());
  }
  const std::int64_t count = extent_product(ctx, ids, 0, ids.rank());
  ctx.set_output("rows", {ctx.dtype("ids"), Shape{count}});
  ctx.set_output("values", {ctx.dtype("out_grad"), Shape{count, grad[ids.rank()]}});
}

Value embedding_grad(const Value& weight, const Value& ids, const Value& out_grad,
                     std::int64_t padding) {
  return OpCall<Value>("embedding_grad")
      .input("weight", weight)
      .input("ids", ids)
      .input("out_grad", out_grad)
      .attr("padding_idx", padding)
      .result();
}

void grad_embedding(GradContext& ctx) {
  if (!ctx.needs_grad("weight")) return;
  const auto padding = ctx.attr<std::int64_t>("padding_idx");
  const Value grad = ctx.output_grad("out");
  if (!ctx.attr<bool>("sparse")) {
    ctx.set_input_grad("weight",
                       embedding_grad(ctx.input("weight"), ctx.input("ids"), grad, padding));
    return;
  }
  const std::vector<Value> rows = OpCall<Value>("embedding_rows_grad")
                                      .input("ids", ctx.input("ids"))
                                      .input("out_grad", grad)
                                      .attr("padding_idx", padding)
                                      .results();
  ctx.set_input_grad_rows("weight", {rows[0], rows[1]});
}

// Linear in out_grad: a look-up of the same ids.
void grad_embedding_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  ctx.set_input_grad("out_grad", OpCall<Value>("embedding")
                                     .input("weight", ctx.output_grad("weight_grad"))
                                     .input("ids", ctx.input("ids"))
                                     .attr("padding_idx", ctx.attr<std::int64_t>("padding_idx"))
                                     .attr("sparse", false)
                                     .result());
}

// A copy that moves bytes only; of the table just the rows that are looked up count.
Cost cost_of_look_up(const InferContext& ctx) {
  const ops::TensorType out = ctx.outputs().front().front();
  const std::int64_t bytes = out.shape.numel() * static_cast<std::int64_t>(dtype_size(out.dtype));
  const ops::TensorType& ids = ctx.input("ids");
  return {0, 2 * bytes + ids.shape.numel() * static_cast<std::int64_t>(dtype_size(ids.dtype))};
}

bool looked_up_rows(BatchContext& ctx) {
  return only_carry(ctx, {"ids"}) && ctx.is_index("ids", ctx.shape("weight")[0]);
}

void register_embedding_gradients(OpRegistry& registry) {
  registry.add(OpSchema("embedding_grad")
                   .gradient_uses({"embedding"})
                   .meaning("zeros of the table's shape, plus each row of out_grad at its id; none "
                            "at padding and "
                            "where an id is -1")
                   .accuracy("n - 1 roundoffs of sum |out_grad|, n rows of one id")
                   .input("weight", kFloats, Arity::kRequired, Residence::kMetadata)
                   .input("ids", kIndices)
                   .input("out_grad", kFloats)
                   .attr("padding_idx", kNoPadding,
                         "the row that reads as zeros and gets no gradient; -1: none")
                   .output("weight_grad")
                   .infer(infer_embedding_grad)
                   .gradient(grad_embedding_grad));
  registry.add(OpSchema("embedding_rows_grad")
                   .meaning("the same as rows and values: ids, flat, and out_grad as a matrix, "
                            "with -1 for the row and zeros at padding")
                   .exact()
                   .input("ids", kIndices)
                   .input("out_grad", kFloats)
                   .attr("padding_idx", kNoPadding,
                         "the row that reads as zeros and gets no gradient; -1: none")
                   .output("rows")
                   .output("values")
                   .of_dtype(DTypeRule::as("out_grad"))
                   .infer(infer_embedding_rows_grad)
                   .refuse_gradient(unsupported_gradient(
                       "embedding",
                       "its gradient has rows, which are not differentiated again; "
                       "use sparse=false")));
}

}  // namespace

void register_embedding_ops(OpRegistry& registry) {
  registry.add(OpSchema("embedding")
                   .gradient_uses({"embedding_grad", "embedding_rows_grad"})
                   .meaning("the rows of weight at ids; zeros at padding_idx")
                   .exact()
                   .input("weight", kFloats)
                   .input("ids", kIndices)
                   .attr("padding_idx", kNoPadding,
                         "the row that reads as zeros and gets no gradient; -1: none")
                   .attr("sparse", true,
                         "whether the gradient is of the touched rows, else of the whole table")
                   .output("out")
                   .infer(infer_embedding)
                   .gradient(grad_embedding)
                   .cost(cost_of_look_up)
                   .batch_rule(looked_up_rows));
  register_embedding_gradients(registry);
}

}  // namespace loci::ops
