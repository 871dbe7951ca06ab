// Slices at tuples of positions: gather_nd takes them, scatter_nd writes them.
#include <algorithm>

#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/scatter_rules.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// How the last dimension of the index names slices of a table: a position for each dimension from
// `batch` on.
struct Tuples {
  int batch;   // dimensions that both have in front
  int length;  // positions of a tuple
};

int batch_dims(const InferContext& ctx, int table_rank, int index_rank) {
  const auto batch = ctx.attr<std::int64_t>("batch_dims");
  const int most = std::min(table_rank, index_rank);
  if (batch < 0 || batch >= most) {
    ctx.fail("batch_dims is {}; give one in [0, {})", batch, most);
  }
  return static_cast<int>(batch);
}

// Reads how the index names slices of the slot `table`; fails if it does not.
Tuples tuples_of(const InferContext& ctx, std::string_view table) {
  const Shape& whole = ctx.shape(table);
  const Shape& index = ctx.shape("index");
  if (index.rank() == 0 || whole.rank() == 0) {
    ctx.fail("{} is {}; give it a dimension or more", index.rank() == 0 ? "index" : table,
             Shape{}.to_string());
  }
  const int batch = batch_dims(ctx, whole.rank(), index.rank());
  for (int i = 0; i < batch; ++i) {
    if (compatible(whole[i], index[i])) continue;
    ctx.fail("index {} and {} {} differ along dimension {}, one of the {} of a batch",
             index.to_string(), table, whole.to_string(), i, batch);
  }
  const std::int64_t length = index[index.rank() - 1];
  if (length == kDynamicDim) {
    ctx.fail("the last extent of index {} is not known; it says how many dimensions a tuple names",
             index.to_string());
  }
  if (length < 1 || length > whole.rank() - batch) {
    ctx.fail(
        "index {} has tuples of {} position(s); give 1 to {}, as {} {} has dimensions behind "
        "those of a batch",
        index.to_string(), length, whole.rank() - batch, table, whole.to_string());
  }
  return {batch, static_cast<int>(length)};
}

// The tuples' dimensions, and those of a slice.
Shape slices_shape(const InferContext& ctx, std::string_view table) {
  const Tuples tuples = tuples_of(ctx, table);
  const Shape& whole = ctx.shape(table);
  const Shape& index = ctx.shape("index");
  const int slice_rank = whole.rank() - tuples.batch - tuples.length;
  if (index.rank() - 1 + slice_rank > Shape::kMaxRank) {
    ctx.fail("the slices would have {} dimensions; a tensor has at most {}",
             index.rank() - 1 + slice_rank, Shape::kMaxRank);
  }
  Shape slices = slice(index, 0, index.rank() - 1);
  for (int i = whole.rank() - slice_rank; i < whole.rank(); ++i) slices.push_back(whole[i]);
  return slices;
}

void infer_gather_nd(InferContext& ctx) {
  ctx.set_output("out", {ctx.dtype("x"), slices_shape(ctx, "x")});
}

void infer_scatter_nd(InferContext& ctx) {
  infer_scatter(ctx, slices_shape(ctx, "x"), "the slices of x that index names");
}

void infer_scatter_nd_grad(InferContext& ctx) {
  ctx.set_output("updates_grad", {ctx.dtype("out_grad"), slices_shape(ctx, "out_grad")});
}

PlaceCalls slice_calls(const GradContext& ctx) {
  const auto batch = ctx.attr<std::int64_t>("batch_dims");
  const Value index = ctx.input("index");
  const auto dims = static_cast<int>(batch);
  PlaceCalls calls;
  calls.scatter = [=](const Value& x, const Value& updates, const std::string& reduction) {
    return scatter_nd(x, index, updates, reduction, dims);
  };
  calls.gather = [=](const Value& x) { return gather_nd(x, index, dims); };
  calls.gather_last = [=](const Value& x) {
    return OpCall<Value>("scatter_nd_grad")
        .input("out_grad", x)
        .input("index", index)
        .attr("batch_dims", batch)
        .result();
  };
  return calls;
}

void grad_gather_nd(GradContext& ctx) {
  if (!ctx.needs_grad("x")) return;
  const Value zeros = full_like(ctx.input("x"), 0.0);
  ctx.set_input_grad("x", slice_calls(ctx).scatter(zeros, ctx.output_grad("out"), "add"));
}

void grad_scatter_nd(GradContext& ctx) { grad_of_scatter(ctx, slice_calls(ctx)); }

// Linear in out_grad: of all that name a slice, the one that was taken is written last.
void grad_scatter_nd_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  const Value zeros = full_like(ctx.input("out_grad"), 0.0);
  const Value grad = ctx.output_grad("updates_grad");
  ctx.set_input_grad("out_grad", slice_calls(ctx).scatter(zeros, grad, kReplace));
}

// Holds where a row of zeros names a slice of the table too.
bool are_tuples(const BatchContext& ctx, std::string_view table, int batch, std::int64_t length) {
  const Shape& whole = ctx.shape(table);
  bool are = true;
  for (std::int64_t i = 0; i < length; ++i) {
    are = are && ctx.is_index("index", whole[batch + static_cast<int>(i)]);
  }
  return are;
}

// Rows are batches, or tuples that are looked up in a whole table.
bool named_rows(const BatchContext& ctx, std::string_view table) {
  const Shape& index = ctx.shape("index");
  const int batch = static_cast<int>(ctx.types().attr<std::int64_t>("batch_dims"));
  const bool fits = batch > 0 ? ctx.carries(table) : !ctx.carries(table) && index.rank() > 1;
  return fits && ctx.carries("index") && are_tuples(ctx, table, batch, index[index.rank() - 1]);
}

bool gathered_slice_rows(BatchContext& ctx) { return named_rows(ctx, "x"); }

bool scattered_slice_rows(BatchContext& ctx) {
  return ctx.carries("x") && ctx.carries("updates") && named_rows(ctx, "x");
}

bool last_slice_rows(BatchContext& ctx) {
  return ctx.carries("out_grad") && named_rows(ctx, "out_grad");
}

}  // namespace

void register_gather_nd_ops(OpRegistry& registry) {
  registry.add(OpSchema("gather_nd")
                   .gradient_uses({"full_like", "scatter_nd"})
                   .meaning("the slice of x at the positions that each tuple in the last dimension "
                            "of index says")
                   .exact()
                   .input("x")
                   .input("index", kIndices)
                   .attr("batch_dims", std::int64_t{0},
                         "how many first dimensions of x and index are those of a batch")
                   .output("out")
                   .infer(infer_gather_nd)
                   .gradient(grad_gather_nd)
                   .cost(copy_cost)
                   .batch_rule(gathered_slice_rows));
  registry.add(
      scatter_schema("scatter_nd")
          .gradient_uses(scatter_gradient_ops("gather_nd", "scatter_nd"))
          .meaning("x whose slices at the tuples of index are updates, or reduced with them")
          .attr("batch_dims", std::int64_t{0},
                "how many first dimensions of x and index are those of a batch")
          .infer(infer_scatter_nd)
          .gradient(grad_scatter_nd)
          .batch_rule(scattered_slice_rows));
  registry.add(OpSchema("scatter_nd_grad")
                   .gradient_uses({"full_like", "scatter_nd"})
                   .meaning("the slices of out_grad that the tuples of index name; zeros where a "
                            "later tuple names the same slice")
                   .exact()
                   .input("out_grad", kFloats)
                   .input("index", kIndices)
                   .attr("batch_dims", std::int64_t{0},
                         "how many first dimensions of x and index are those of a batch")
                   .output("updates_grad")
                   .infer(infer_scatter_nd_grad)
                   .gradient(grad_scatter_nd_grad)
                   .cost(copy_cost)
                   .batch_rule(last_slice_rows));
}

}  // namespace loci::ops
