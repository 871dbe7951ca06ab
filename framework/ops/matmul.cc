// Matrix products.
#include "framework/ops/matmul_rules.h"

#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// The last two extents of an operand of matmul as the product sees them, and those before.
struct Operand {
  Shape batch;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  bool is_vector = false;
};

Operand read_operand(const InferContext& ctx, std::string_view slot, std::string_view flag) {
  const Shape& shape = ctx.shape(slot);
  const bool transposed = ctx.attr<bool>(flag);
  const int rank = shape.rank();
  if (rank == 0) ctx.fail("{} is a single number; use elementwise_mul or scale", slot);
  Operand operand;
  operand.is_vector = rank == 1;
  if (operand.is_vector) {
    if (transposed) ctx.fail("{} is set, but {} is a vector; leave it out", flag, slot);
    (slot == "x" ? operand.columns : operand.rows) = shape[0];
    return operand;
  }
  operand.batch = slice(shape, 0, rank - 2);
  operand.rows = shape[transposed ? rank - 1 : rank - 2];
  operand.columns = shape[transposed ? rank - 2 : rank - 1];
  return operand;
}

Cost product_cost(const InferContext& ctx, std::int64_t inner) {
  const std::int64_t elements = ctx.outputs()[0][0].shape.numel();
  return {saturating_product(saturating_product(elements, inner), 2), argument_bytes(ctx)};
}

}  // namespace

Shape product_shape(const InferContext& ctx) {
  require_same_dtype(ctx, "x", "y");
  const Operand x = read_operand(ctx, "x", "transpose_x");
  const Operand y = read_operand(ctx, "y", "transpose_y");
  if (!compatible(x.columns, y.rows)) {
    ctx.fail("x has {} columns and y has {} rows{}; they must be equal", x.columns, y.rows,
             ctx.attr<bool>("transpose_x") || ctx.attr<bool>("transpose_y")
                 ? " after the transposes"
                 : "");
  }
  const auto batch = broadcast(x.batch, y.batch);
  if (!batch) {
    ctx.fail("the leading extents {} of x and {} of y do not broadcast", x.batch.to_string(),
             y.batch.to_string());
  }
  Shape result = *batch;
  if (!x.is_vector) result.push_back(x.rows);
  if (!y.is_vector) result.push_back(y.columns);
  return result;
}

// Rows are those of the matrix x, or matrices of their own.
bool product_rows(BatchContext& ctx) {
  const int x = ctx.shape("x").rank();
  const int y = ctx.shape("y").rank();
  if (ctx.carries("x") && ctx.carries("y")) return x == y && x > 2;
  if (ctx.carries("y")) return y > 2 && y >= x;
  const bool is_first_row = x == 2 && !ctx.types().attr<bool>("transpose_x");
  return (is_first_row || x > 2) && x >= y;
}

Cost cost_of_product(const InferContext& ctx) {
  return product_cost(ctx, read_operand(ctx, "x", "transpose_x").columns);
}

namespace {

void infer_matmul(InferContext& ctx) {
  ctx.set_output("out", {ctx.dtype("x"), product_shape(ctx)});
}

// An operand of the gradient, with vectors made matrices.
struct Factor {
  Value value;
  Shape shape;
  bool transposed = false;
};

Factor factor(const Value& value, bool transposed) {
  return {value, GradContext::type(value).shape, transposed};
}

Shape batch_of(const Factor& factor) { return slice(factor.shape, 0, factor.shape.rank() - 2); }

// Adds an extent of 1 before `axis`, which has at most one after it. Extents before it are copied
// and the one after it is inferred, so that any may be unknown.
Value insert_axis(const Value& x, int axis) {
  std::vector<std::int64_t> target(static_cast<std::size_t>(axis), 0);
  target.push_back(1);
  if (axis < GradContext::type(x).shape.rank()) target.push_back(-1);
  return reshape(x, target);
}

// X Y = Z. With Z' the gradient of Z: X' = Z' Y^T, and X'^T = Y Z'^T where X is stored transposed.
Value grad_of_left(const Factor& x, const Factor& y, const Value& out_grad) {
  const Value grad = x.transposed ? matmul(y.value, out_grad, y.transposed, true)
                                  : matmul(out_grad, y.value, false, !y.transposed);
  const bool repeated = may_repeat(batch_of(x), batch_of(y));
  return repeated ? reduce_sum_like(grad, x.value) : grad;
}

// A matrix y for all matrices of x: one product over all rows of x instead of one for each of its
// matrices, and nothing to sum afterwards.
Value grad_of_shared_right(const Factor& x, const Factor& y, const Value& out_grad) {
  const int last = x.shape.rank() - 1;
  const Value rows = flatten(x.value, last);
  const Value grads = flatten(out_grad, last);
  return y.transposed ? matmul(grads, rows, true, false) : matmul(rows, grads, true, false);
}

// Y' = X^T Z', and Y'^T = Z'^T X where Y is stored transposed.
Value grad_of_right(const Factor& x, const Factor& y, const Value& out_grad) {
  if (x.shape.rank() > 2 && y.shape.rank() == 2 && !x.transposed) {
    return grad_of_shared_right(x, y, out_grad);
  }
  const Value grad = y.transposed ? matmul(out_grad, x.value, true, x.transposed)
                                  : matmul(x.value, out_grad, !x.transposed, false);
  const bool repeated = may_repeat(batch_of(y), batch_of(x));
  return repeated ? reduce_sum_like(grad, y.value) : grad;
}

void grad_dot(GradContext& ctx, const Value& x, const Value& y, const Value& out_grad) {
  if (ctx.needs_grad("x")) ctx.set_input_grad("x", elementwise_mul(out_grad, y));
  if (ctx.needs_grad("y")) ctx.set_input_grad("y", elementwise_mul(out_grad, x));
}

// x is a row: the result lacks the dimension before its last.
void grad_row(GradContext& ctx, const Value& x, const Factor& y, const Value& out_grad) {
  const Value row_grad = insert_axis(out_grad, y.shape.rank() - 2);
  if (ctx.needs_grad("x")) {
    const Value grad = matmul(row_grad, y.value, false, !y.transposed);
    ctx.set_input_grad("x", reduce_sum_like(grad, x));
  }
  if (ctx.needs_grad("y")) {
    ctx.set_input_grad("y", grad_of_right(factor(insert_axis(x, 0), false), y, row_grad));
  }
}

// y is a column: the result lacks its last dimension. Its gradient is computed as a row, Z'^T X,
// which lies in memory as the vector does.
void grad_column(GradContext& ctx, const Factor& x, const Value& y, const Value& out_grad) {
  const int rank = x.shape.rank();
  if (ctx.needs_grad("x")) {
    const Factor column = factor(insert_axis(y, 1), false);
    ctx.set_input_grad("x", grad_of_left(x, column, insert_axis(out_grad, rank - 1)));
  }
  if (ctx.needs_grad("y")) {
    const Value row_grad = insert_axis(out_grad, rank - 2);
    const Value grad = matmul(row_grad, x.value, false, x.transposed);
    ctx.set_input_grad("y", reduce_sum_like(grad, y));
  }
}

void grad_matmul(GradContext& ctx) {
  const Factor x = factor(ctx.input("x"), ctx.attr<bool>("transpose_x"));
  const Factor y = factor(ctx.input("y"), ctx.attr<bool>("transpose_y"));
  const Value out_grad = ctx.output_grad("out");
  const bool x_is_vector = x.shape.rank() == 1;
  const bool y_is_vector = y.shape.rank() == 1;
  if (x_is_vector && y_is_vector) return grad_dot(ctx, x.value, y.value, out_grad);
  if (x_is_vector) return grad_row(ctx, x.value, y, out_grad);
  if (y_is_vector) return grad_column(ctx, x, y.value, out_grad);
  if (ctx.needs_grad("x")) ctx.set_input_grad("x", grad_of_left(x, y, out_grad));
  if (ctx.needs_grad("y")) ctx.set_input_grad("y", grad_of_right(x, y, out_grad));
}

// How many dimensions are rows when `slot` is flattened for mul.
int row_dimensions(const InferContext& ctx, std::string_view slot, std::string_view attribute) {
  const auto rows = ctx.attr<std::int64_t>(attribute);
  const int rank = ctx.shape(slot).rank();
  if (rank < 2) ctx.fail("{} has {} dimensions; give at least 2", slot, rank);
  if (rows < 1 || rows >= rank) {
    ctx.fail("{} is {}; give one in [1, {}), so that {} has rows and columns", attribute, rows,
             rank, slot);
  }
  return static_cast<int>(rows);
}

void infer_mul(InferContext& ctx) {
  require_same_dtype(ctx, "x", "y");
  const int x_rows = row_dimensions(ctx, "x", "x_num_col_dims");
  const int y_rows = row_dimensions(ctx, "y", "y_num_col_dims");
  const Shape& x = ctx.shape("x");
  const Shape& y = ctx.shape("y");
  const std::int64_t columns = extent_product(ctx, x, x_rows, x.rank());
  const std::int64_t rows = extent_product(ctx, y, 0, y_rows);
  if (!compatible(columns, rows)) {
    ctx.fail("flattened, x has {} columns and y has {} rows; they must be equal", columns, rows);
  }
  if (x_rows + y.rank() - y_rows > Shape::kMaxRank) {
    ctx.fail("the result would have {} dimensions; a tensor has at most {}",
             x_rows + y.rank() - y_rows, Shape::kMaxRank);
  }
  Shape result = slice(x, 0, x_rows);
  for (int i = y_rows; i < y.rank(); ++i) result.push_back(y[i]);
  ctx.set_output("out", {ctx.dtype("x"), result});
}

Cost cost_of_mul(const InferContext& ctx) {
  const int x_rows = row_dimensions(ctx, "x", "x_num_col_dims");
  return product_cost(ctx, extent_product(ctx, ctx.shape("x"), x_rows, ctx.shape("x").rank()));
}

Value as_matrix(const Value& x, std::int64_t rows) {
  return GradContext::type(x).shape.rank() == 2 ? x : flatten(x, static_cast<int>(rows));
}

Value as_before(const Value& grad, const Value& x) {
  return GradContext::type(x).shape.rank() == 2 ? grad : reshape_like(grad, x);
}

// The gradients of the matrices are X' = Z' Y^T, Y' = X^T Z'.
void grad_matrix_mul(GradContext& ctx) {
  const Value x = ctx.input("x");
  const Value y = ctx.input("y");
  const auto x_rows = ctx.attr<std::int64_t>("x_num_col_dims");
  const auto y_rows = ctx.attr<std::int64_t>("y_num_col_dims");
  const Value out_grad = as_matrix(ctx.output_grad("out"), x_rows);
  if (ctx.needs_grad("x")) {
    ctx.set_input_grad("x", as_before(matmul(out_grad, as_matrix(y, y_rows), false, true), x));
  }
  if (ctx.needs_grad("y")) {
    ctx.set_input_grad("y", as_before(matmul(as_matrix(x, x_rows), out_grad, true, false), y));
  }
}

}  // namespace

void register_matmul_ops(OpRegistry& registry) {
  registry.add(
      OpSchema("matmul")
          .gradient_uses({"elementwise_mul", "flatten", "matmul", "reduce_sum_like", "reshape"})
          .meaning("the matrix product of the last two dimensions, the others broadcast together")
          .accuracy("n + 1 roundoffs of sum |x * y|, n products; integers wrap")
          .input("x", kNumbers)
          .input("y", kNumbers)
          .attr("transpose_x", false, "whether the last two dimensions of x are exchanged first")
          .attr("transpose_y", false, "whether the last two dimensions of y are exchanged first")
          .output("out")
          .infer(infer_matmul)
          .gradient(grad_matmul)
          .cost(cost_of_product)
          .batch_rule(product_rows));
  registry.add(OpSchema("mul")
                   .gradient_uses({"flatten", "matmul", "reshape_like"})
                   .meaning("the matrix product of x and y, each flattened to a matrix")
                   .accuracy("n + 1 roundoffs of sum |x * y|, n products; integers wrap")
                   .input("x", kNumbers)
                   .input("y", kNumbers)
                   .attr("x_num_col_dims", std::int64_t{1},
                         "how many first dimensions of x are rows of a matrix")
                   .attr("y_num_col_dims", std::int64_t{1},
                         "how many first dimensions of y are rows of a matrix")
                   .output("out")
                   .infer(infer_mul)
                   .gradient(grad_matrix_mul)
                   .cost(cost_of_mul)
                   .batch_rule(rows_of({"x"})));
}

}  // namespace loci::ops
