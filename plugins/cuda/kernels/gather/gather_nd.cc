// gather_nd, scatter_nd and the gradient of what is written: tuple_rows.cu finds the rows, which
// are gathered by gather_rows.cu and written by scatter_rows.cu.
#include <loci/plugin/dims.hpp>
#include <loci/plugin/dtype_visit.hpp>

#include "device.h"
#include "kernels/gather/gather_rows.h"
#include "kernels/gather/index_tuples.h"
#include "kernels/gather/row_scatter.h"
#include "kernels/gather/rows_by_unit.h"
#include "kernels/kernel_list.h"
#include "kernels/move/device_copy.h"

extern "C" const unsigned long long loci_cuda_tuple_rows[];

namespace loci::cuda {
namespace {

constexpr KernelImage kTupleRowsImage{"tuple_rows", loci_cuda_tuple_rows};

// Finds the rows of input 0 that the tuples of input 1 name.
class TupleRows {
 public:
  TupleRows(const sdk::Prepare& prepare, std::int64_t batch_dims, const char* argument)
      : find_(prepare, kTupleRowsImage, typed_name("tuple_rows", prepare.op().input(1).dtype())) {
    const sdk::Dims table = prepare.op().input(0).dims();
    const sdk::Dims index = prepare.op().input(1).dims();
    const auto batch = static_cast<std::size_t>(batch_dims);
    const auto length = static_cast<std::size_t>(index[index.size() - 1]);
    rows_ = sdk::numel_of(table.head(batch + length));
    width_ = sdk::numel_of(table.tail(batch + length));
    tuples_.count = sdk::numel_of(index.head(index.size() - 1));
    tuples_.of_batch = sdk::numel_of(index.head(index.size() - 1).tail(batch));
    tuples_.rows_of_batch = sdk::numel_of(table.head(batch + length).tail(batch));
    tuples_.length = static_cast<std::int32_t>(length);
    std::int64_t step = 1;
    for (std::size_t i = length; i-- > 0;) {
      tuples_.extents[i] = table[batch + i];
      tuples_.steps[i] = step;
      step *= table[batch + i];
    }
    tuples_.watch = sdk::device_of<Device>(prepare.device()).index_record().watch(argument);
  }

  [[nodiscard]] std::int64_t count() const { return tuples_.count; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] const IndexWatch& watch() const { return tuples_.watch; }
  [[nodiscard]] ScatterRows updates() const { return {tuples_.count, width_}; }

  // Into the beginning of the workspace, which it returns.
  std::int64_t* launch(const sdk::Launch& launch) const {
    auto* rows = launch.workspace<std::int64_t>();
    find_.launch(launch, tuples_.count, launch.input<void>(1), rows, tuples_);
    return rows;
  }

 private:
  KernelFunction find_;
  IndexTuples tuples_{};
  std::int64_t rows_;
  std::int64_t width_;
};

struct TakeSlices {
  void launch(const sdk::Launch& launch) const {
    const std::int64_t* rows = tuples.launch(launch);
    const void* x = launch.input<void>(0);
    void* out = launch.output<void>(0);
    take.with_unit(x, out, [&](const KernelFunction& function, std::int64_t units) {
      const GatherRows gather{1, tuples.count(), tuples.rows(), -1, RowNames::kIds, tuples.watch()};
      function.launch(launch, gather.count * units, x, rows, out, gather, units);
    });
  }
  TupleRows tuples;
  RowsByUnit take;
};

class GatherNd final : public sdk::Kernel {
 public:
  explicit GatherNd(const sdk::OpDesc& op) : batch_dims_(op.attributes().integer("batch_dims")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const TupleRows tuples(prepare, batch_dims_, "index of gather_nd");
    const std::uint64_t row_bytes = static_cast<std::uint64_t>(tuples.width()) *
                                    sdk::dtype_bytes(prepare.op().input(0).dtype());
    prepare.set_workspace(static_cast<std::uint64_t>(tuples.count()) * sizeof(std::int64_t));
    prepare.emplace<TakeSlices>(tuples,
                                RowsByUnit(prepare, "gather_rows", LOCI_DTYPE_I64, row_bytes));
  }

 private:
  std::int64_t batch_dims_;
};

// Writes the updates, input 2, into a copy of x.
struct WriteSlices {
  void launch(const sdk::Launch& launch) const {
    void* out = launch.output<void>(0);
    copy_on_device(*device, launch, launch.input<void>(0), out, bytes);
    tuples.launch(launch);
    scatter.launch(launch, launch.input<void>(2), out);
  }
  Device* device;
  std::uint64_t bytes;  // of x
  TupleRows tuples;
  RowScatter scatter;
};

class ScatterNd final : public sdk::Kernel {
 public:
  explicit ScatterNd(const sdk::OpDesc& op)
      : batch_dims_(op.attributes().integer("batch_dims")),
        reduction_(op.attributes().text("reduction")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().input(0);
    const TupleRows tuples(prepare, batch_dims_, "index of scatter_nd");
    prepare.set_workspace(RowScatter::workspace_bytes(tuples.count()));
    prepare.emplace<WriteSlices>(
        &sdk::device_of<Device>(prepare.device()),
        static_cast<std::uint64_t>(x.numel()) * sdk::dtype_bytes(x.dtype()), tuples,
        RowScatter(prepare, RowScatter::Kind::kUpdates, reduction_, tuples.updates(),
                   tuples.rows()));
  }

 private:
  std::int64_t batch_dims_;
  std::string reduction_;
};

// Takes out_grad, input 0, where updates were written last.
struct TakeLastSlices {
  void launch(const sdk::Launch& launch) const {
    tuples.launch(launch);
    scatter.launch(launch, launch.input<void>(0), launch.output<void>(0));
  }
  TupleRows tuples;
  RowScatter scatter;
};

class ScatterNdGrad final : public sdk::Kernel {
 public:
  explicit ScatterNdGrad(const sdk::OpDesc& op)
      : batch_dims_(op.attributes().integer("batch_dims")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const TupleRows tuples(prepare, batch_dims_, "index of scatter_nd_grad");
    prepare.set_workspace(RowScatter::workspace_bytes(tuples.count()));
    prepare.emplace<TakeLastSlices>(tuples, RowScatter(prepare, RowScatter::Kind::kGradient, "none",
                                                       tuples.updates(), tuples.rows()));
  }

 private:
  std::int64_t batch_dims_;
};

std::string slices_refusal(const sdk::OpDesc& op) {
  if (!op.input(0).has_dims() || !op.input(1).has_dims()) return {};
  return RowSort::refusal(op.input(0).numel(), op.input(1).numel());
}

}  // namespace

void add_gather_nd(Kernels& kernels) {
  kernels.push_back(enqueuing("gather_nd", sdk::kAllBits, sdk::make_kernel<GatherNd>));
  sdk::KernelDef scatter =
      enqueuing("scatter_nd", sdk::kAllBits, sdk::make_kernel<ScatterNd>, {{0, 0}});
  sdk::KernelDef gradient =
      enqueuing("scatter_nd_grad", sdk::kFloatBits, sdk::make_kernel<ScatterNdGrad>);
  scatter.supports = slices_refusal;
  gradient.supports = slices_refusal;
  kernels.push_back(std::move(scatter));
  kernels.push_back(std::move(gradient));
}

}  // namespace loci::cuda
