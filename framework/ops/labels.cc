#include "framework/ops/labels.h"

#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

Shape with_one_column(const Shape& rows) {
  Shape result = rows;
  result.push_back(1);
  return result;
}

Shape require_soft(const InferContext& ctx, std::string_view scores) {
  require_same_dtype(ctx, scores, "label");
  const Shape& shape = ctx.shape(scores);
  require_shape(ctx, "label", shape, "the shape of the scores, because soft_label is set");
  return with_one_column(slice(merged(shape, ctx.shape("label")), 0, shape.rank() - 1));
}

Shape require_hard(const InferContext& ctx, std::string_view scores) {
  if (!kIndices.contains(ctx.dtype("label"))) {
    ctx.fail("label is {}; hard labels are {}; set soft_label for labels that are probabilities",
             dtype_name(ctx.dtype("label")), kIndices.to_string());
  }
  const Shape& label = ctx.shape("label");
  const Shape rows = slice(ctx.shape(scores), 0, ctx.shape(scores).rank() - 1);
  const Shape column = with_one_column(rows);
  if (compatible(label, column)) return merged(column, label);
  if (compatible(label, rows)) return with_one_column(merged(rows, label));
  ctx.fail("label is {}; for scores {} hard labels have the shape {} or {}", label.to_string(),
           ctx.shape(scores).to_string(), rows.to_string(), column.to_string());
}

}  // namespace

Shape require_labels(const InferContext& ctx, std::string_view scores, bool soft) {
  const Shape& shape = ctx.shape(scores);
  if (shape.rank() == 0) ctx.fail("{} has no dimension of classes; give [..., classes]", scores);
  if (shape[shape.rank() - 1] == 0) ctx.fail("{} has no classes; give at least one", scores);
  return soft ? require_soft(ctx, scores) : require_hard(ctx, scores);
}

}  // namespace loci::ops
