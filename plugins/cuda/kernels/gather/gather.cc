// gather and embedding, by gather_rows.cu, and their gradients, by row_sums.cu.
#include <algorithm>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/dtype_visit.hpp>

#include "device.h"
#include "kernels/gather/gather_rows.h"
#include "kernels/gather/row_sort.h"
#include "kernels/gather/rows_by_unit.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/kernel_function.h"
#include "kernels/move/device_copy.h"

extern "C" const unsigned long long loci_cuda_row_sums[];

namespace loci::cuda {
namespace {

constexpr KernelImage kRowSumsImage{"row_sums", loci_cuda_row_sums};

IndexWatch watch(const sdk::Prepare& prepare, const char* argument) {
  return sdk::device_of<Device>(prepare.device()).index_record().watch(argument);
}

struct RowGathering {
  void launch(const sdk::Launch& launch) const {
    const void* table = launch.input<void>(0);
    void* out = launch.output<void>(0);
    functions.with_unit(table, out, [&](const KernelFunction& function, std::int64_t units) {
      function.launch(launch, gather.tables * gather.count * units, table, launch.input<void>(1),
                      out, gather, units);
    });
  }
  RowsByUnit functions;
  GatherRows gather;
};

void emplace_gather_rows(sdk::Prepare& prepare, const GatherRows& gather, std::int64_t width) {
  const std::uint64_t bytes = sdk::dtype_bytes(prepare.op().input(0).dtype());
  RowsByUnit functions(prepare, "gather_rows", prepare.op().input(1).dtype(),
                       static_cast<std::uint64_t>(width) * bytes);
  prepare.emplace<RowGathering>(std::move(functions), gather);
}

// Sorts the ids, and adds up the rows of each, so that no order hangs on the device's.
class RowSums {
 public:
  RowSums(const sdk::Prepare& prepare, const GatherRows& gather, std::int64_t width)
      : device_(sdk::device_of<Device>(prepare.device())),
        gather_(gather),
        width_(width),
        bytes_(static_cast<std::uint64_t>(prepare.op().output(0).numel()) *
               sdk::dtype_bytes(prepare.op().output(0).dtype())),
        sort_(prepare, prepare.op().input(1).dtype(), gather.count, gather.rows, gather.names,
              gather.watch.argument),
        sum_(prepare, kRowSumsImage, typed_name("sum_rows", prepare.op().output(0).dtype())) {}

  void launch(const sdk::Launch& launch) const {
    fill_on_device(device_, launch, launch.output<void>(0), 0, bytes_);
    if (gather_.count == 0) return;
    const std::uint64_t* keys =
        sort_.launch(launch, launch.input<void>(1), launch.workspace<std::uint64_t>());
    sum_.launch(launch, gather_.tables * gather_.count * width_, keys, launch.input<void>(2),
                launch.output<void>(0), gather_, width_);
  }

 private:
  Device& device_;
  GatherRows gather_;
  std::int64_t width_;
  std::uint64_t bytes_;  // of the output
  RowSort sort_;
  KernelFunction sum_;
};

void emplace_row_sums(sdk::Prepare& prepare, const GatherRows& gather, std::int64_t width) {
  prepare.set_workspace(RowSort::workspace_bytes(gather.count));
  prepare.emplace<RowSums>(prepare, gather, width);
}

// Gathers from one table for each position before the axis, whose rows are what lies after it.
template <bool is_gradient>
class Gather final : public sdk::Kernel {
 public:
  explicit Gather(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const sdk::AxisSplit split((is_gradient ? op.output(0) : op.input(0)).dims(), axis_);
    const GatherRows gather{
        split.outer,
        op.input(1).numel(),
        split.count,
        -1,
        RowNames::kPositions,
        watch(prepare, is_gradient ? "index of gather_grad" : "index of gather")};
    is_gradient ? emplace_row_sums(prepare, gather, split.inner)
                : emplace_gather_rows(prepare, gather, split.inner);
  }

  static std::string grad_refusal(const sdk::OpDesc& op) {
    if (!op.output(0).has_dims() || !op.input(1).has_dims()) return {};
    const sdk::AxisSplit split(op.output(0).dims(), op.attributes().integer("axis"));
    return RowSort::refusal(split.count, op.input(1).numel());
  }

 private:
  std::int64_t axis_;
};

template <bool is_gradient>
class Embedding final : public sdk::Kernel {
 public:
  explicit Embedding(const sdk::OpDesc& op) : padding_(op.attributes().integer("padding_idx")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const sdk::Arg weight = is_gradient ? op.output(0) : op.input(0);
    const GatherRows gather{
        1,
        op.input(1).numel(),
        weight.dim(0),
        padding_,
        is_gradient ? RowNames::kIdsOrNone : RowNames::kIds,
        watch(prepare, is_gradient ? "ids of embedding_grad" : "ids of embedding")};
    is_gradient ? emplace_row_sums(prepare, gather, weight.dim(1))
                : emplace_gather_rows(prepare, gather, weight.dim(1));
  }

  static std::string grad_refusal(const sdk::OpDesc& op) {
    if (!op.output(0).has_dims() || !op.input(1).has_dims()) return {};
    return RowSort::refusal(op.output(0).dim(0), op.input(1).numel());
  }

 private:
  std::int64_t padding_;
};

// Both outputs are copies, except that padding is no row and has no gradient. Without padding they
// are made by the driver.
struct RowsGrad {
  void launch(const sdk::Launch& launch) const {
    const void* ids = launch.input<void>(0);
    const void* out_grad = launch.input<void>(1);
    void* values = launch.output<void>(1);
    if (padding < 0) {
      copy_on_device(*device, launch, ids, launch.output<void>(0), ids_bytes);
      copy_on_device(*device, launch, out_grad, values,
                     static_cast<std::uint64_t>(count) * row_bytes);
      return;
    }
    functions.with_unit(out_grad, values, [&](const KernelFunction& function, std::int64_t units) {
      function.launch(launch, count * std::max<std::int64_t>(units, 1), ids, out_grad,
                      launch.output<void>(0), values, count, units, padding);
    });
  }
  Device* device;
  RowsByUnit functions;
  std::int64_t count;
  std::uint64_t ids_bytes;
  std::uint64_t row_bytes;
  std::int64_t padding;
};

class EmbeddingRowsGrad final : public sdk::Kernel {
 public:
  explicit EmbeddingRowsGrad(const sdk::OpDesc& op)
      : padding_(op.attributes().integer("padding_idx")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg rows = prepare.op().output(0);
    const sdk::Arg values = prepare.op().output(1);
    const std::uint64_t bytes = sdk::dtype_bytes(values.dtype());
    const std::uint64_t row_bytes = static_cast<std::uint64_t>(values.dim(1)) * bytes;
    prepare.emplace<RowsGrad>(
        &sdk::device_of<Device>(prepare.device()),
        RowsByUnit(prepare, "rows_grad", rows.dtype(), row_bytes), rows.numel(),
        static_cast<std::uint64_t>(rows.numel()) * sdk::dtype_bytes(rows.dtype()), row_bytes,
        padding_);
  }

 private:
  std::int64_t padding_;
};

sdk::KernelDef row_sums(std::string_view op, sdk::CreateFn create, sdk::SupportsFn supports) {
  sdk::KernelDef kernel = enqueuing(op, sdk::kFloatBits, create);
  kernel.supports = supports;
  return kernel;
}

}  // namespace

void add_gather(Kernels& kernels) {
  constexpr std::uint64_t kIds = LOCI_DTYPE_BIT(LOCI_DTYPE_I32) | LOCI_DTYPE_BIT(LOCI_DTYPE_I64);
  kernels.push_back(enqueuing("embedding", sdk::kFloatBits, sdk::make_kernel<Embedding<false>>));
  kernels.push_back(
      row_sums("embedding_grad", sdk::make_kernel<Embedding<true>>, Embedding<true>::grad_refusal));
  kernels.push_back(
      enqueuing("embedding_rows_grad", kIds, sdk::make_kernel<EmbeddingRowsGrad>, {{1, 1}}));
  kernels.push_back(enqueuing("gather", sdk::kAllBits, sdk::make_kernel<Gather<false>>));
  kernels.push_back(
      row_sums("gather_grad", sdk::make_kernel<Gather<true>>, Gather<true>::grad_refusal));
}

}  // namespace loci::cuda
