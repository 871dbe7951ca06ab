// gather_nd, scatter_nd and the gradient of what is written.
#include <cstring>
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/index_tuples.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/row_block.h"
#include "plugins/kernels/row_gather.h"
#include "plugins/kernels/scatter_functions.h"
#include "plugins/kernels/widened.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;

constexpr std::uint64_t bytes_of_rows(std::int64_t count) {
  return static_cast<std::uint64_t>(count) * sizeof(std::int64_t);
}

// Row numbers, as a view of ids.
IntegerView rows_view(std::int64_t* rows) {
  loci_view view{};
  view.data = rows;
  view.dtype = LOCI_DTYPE_I64;
  return IntegerView(view);
}

// Finds the rows, in the workspace, and looks them up.
struct TakeSlices {
  void launch(const Launch& launch) const {
    auto* rows = launch.workspace<std::int64_t>();
    tuples.find_rows("gather_nd", *row_gather.host, IntegerView(launch.input_view(1)), rows);
    row_gather.copy(launch.input<char>(0), rows_view(rows), launch.output<char>(0));
  }

  IndexTuples tuples;
  RowGather row_gather;
};

class GatherNd final : public sdk::Kernel {
 public:
  explicit GatherNd(const OpDesc& op) : batch_dims_(op.attributes().integer("batch_dims")) {}

  void prepare(Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    const IndexTuples tuples(op.input(0).dims(), op.input(1).dims(), batch_dims_);
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(op.input(0).dtype()));
    prepare.set_workspace(bytes_of_rows(tuples.count()));
    prepare.emplace<TakeSlices>(TakeSlices{tuples,
                                           {.op = "gather_nd",
                                            .host = &prepare.host(),
                                            .count = tuples.count(),
                                            .rows = tuples.rows(),
                                            .row_bytes = tuples.width() * bytes}});
  }

 private:
  std::int64_t batch_dims_;
};

// The rows that tuples name, sorted: a thread has all updates of a row, in their order.
struct SortedSlices {
  [[nodiscard]] static std::uint64_t workspace_bytes(std::int64_t count) {
    return bytes_of_rows(count) + row_keys_bytes(count);
  }

  [[nodiscard]] RowKeys sort(const char* op, const Launch& launch) const {
    auto* rows = launch.workspace<std::int64_t>();
    tuples.find_rows(op, *host, IntegerView(launch.input_view(1)), rows);
    return sort_row_ids(rows_view(rows), tuples.count(), tuples.rows(),
                        launch.workspace<RowKey>(bytes_of_rows(tuples.count())));
  }

  // Calls work(first, last) for the keys of each row.
  template <class Work>
  void for_rows(const RowKeys& keys, std::int64_t row_bytes, const Work& work) const {
    host->parallel_for(0, keys.count, row_grain(row_bytes),
                       [&](std::int64_t begin, std::int64_t end) {
                         const RowKeyRange range = rows_that_begin_in(keys, begin, end);
                         for (const RowKey* first = range.first; first != range.last;) {
                           const RowKey* last = first + 1;
                           while (last != range.last && row_of(*last) == row_of(*first)) ++last;
                           work(first, last);
                           first = last;
                         }
                       });
  }

  const sdk::Host* host;
  IndexTuples tuples;
};

// Nothing is written before all positions are known to be good: x may be changed in place.
template <class T, class Function>
struct WriteSlices {
  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(0);
    const T* updates = launch.input<T>(2);
    T* out = launch.output<T>(0);
    const RowKeys keys = slices.sort("scatter_nd", launch);
    if (out != x) copy(x, out);
    const std::int64_t width = slices.tuples.width();
    if (width == 0) return;  // nor are there addresses
    slices.for_rows(keys, width * static_cast<std::int64_t>(sizeof(T)),
                    [&](const RowKey* first, const RowKey* last) {
                      // Only the last counts where they replace each other.
                      if (std::is_same_v<Function, Replace>) first = last - 1;
                      T* to = out + row_of(*first) * width;
                      for (; first != last; ++first) {
                        const T* update = updates + position_of(*first) * width;
                        for (std::int64_t i = 0; i < width; ++i) {
                          to[i] = Function::apply(to[i], update[i]);
                        }
                      }
                    });
  }

  void copy(const T* x, T* out) const {
    slices.host->parallel_for(0, slices.tuples.rows() * slices.tuples.width(),
                              grain_for(10 * sizeof(T)), [&](std::int64_t begin, std::int64_t end) {
                                std::memcpy(out + begin, x + begin,
                                            static_cast<std::size_t>(end - begin) * sizeof(T));
                              });
  }

  SortedSlices slices;
};

std::string slices_refusal(const OpDesc& op) {
  const auto table = op.input(0);
  const auto index = op.input(1);
  if (!table.has_dims() || !index.has_dims()) return {};
  return row_keys_refusal(table.numel(), index.numel());
}

class ScatterNd final : public sdk::Kernel {
 public:
  explicit ScatterNd(const OpDesc& op)
      : batch_dims_(op.attributes().integer("batch_dims")),
        reduction_(op.attributes().text("reduction")) {}

  void prepare(Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    const loci_dtype dtype = op.input(0).dtype();
    const IndexTuples tuples(op.input(0).dims(), op.input(1).dims(), batch_dims_);
    const std::uint64_t own = SortedSlices::workspace_bytes(tuples.count());
    visit_scatter(reduction_, dtype, [&](auto tag, auto function) {
      using Work = WriteSlices<typename decltype(tag)::type, decltype(function)>;
      const Work work{{&prepare.host(), tuples}};
      if (widens_halves(reduction_, dtype)) {
        emplace_widened(prepare, {3}, own, work);
      } else {
        prepare.set_workspace(own);
        prepare.emplace<Work>(work);
      }
    });
  }

 private:
  std::int64_t batch_dims_;
  std::string reduction_;  // "none" of bool, as the schema has seen to
};

// Input 0 is the gradient of the result.
struct TakeLastSlices {
  void launch(const Launch& launch) const {
    const char* out_grad = launch.input<char>(0);
    char* updates_grad = launch.output<char>(0);
    const RowKeys keys = slices.sort("scatter_nd_grad", launch);
    if (row_bytes == 0) return;  // nor are there addresses
    const auto bytes = static_cast<std::size_t>(row_bytes);
    slices.for_rows(keys, row_bytes, [&](const RowKey* first, const RowKey* last) {
      for (; first != last - 1; ++first) {
        std::memset(updates_grad + position_of(*first) * row_bytes, 0, bytes);
      }
      std::memcpy(updates_grad + position_of(*first) * row_bytes,
                  out_grad + row_of(*first) * row_bytes, bytes);
    });
  }

  SortedSlices slices;
  std::int64_t row_bytes;
};

class ScatterNdGrad final : public sdk::Kernel {
 public:
  explicit ScatterNdGrad(const OpDesc& op) : batch_dims_(op.attributes().integer("batch_dims")) {}

  void prepare(Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    const IndexTuples tuples(op.input(0).dims(), op.input(1).dims(), batch_dims_);
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(op.input(0).dtype()));
    prepare.set_workspace(SortedSlices::workspace_bytes(tuples.count()));
    prepare.emplace<TakeLastSlices>(SortedSlices{&prepare.host(), tuples}, tuples.width() * bytes);
  }

 private:
  std::int64_t batch_dims_;
};

}  // namespace

void add_gather_nd(KernelDefs& kernels) {
  kernels.push_back({.op = "gather_nd",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<GatherNd>});
  kernels.push_back({.op = "scatter_nd",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<ScatterNd>,
                     .supports = slices_refusal,
                     .aliases = {{0, 0}}});
  kernels.push_back({.op = "scatter_nd_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<ScatterNdGrad>,
                     .supports = slices_refusal});
}

}  // namespace loci::kernels
