// gather and embedding, by look_up.cu, and their gradients, by row_sums.cu.
#include <loci/plugin/dims.hpp>
#include <loci/plugin/dtype_visit.hpp>

#include "device.h"
#include "kernels/device_copy.h"
#include "kernels/kernel_function.h"
#include "kernels/kernel_list.h"
#include "kernels/look_up.h"
#include "kernels/row_sort.h"

extern "C" const unsigned long long loci_cuda_look_up[];
extern "C" const unsigned long long loci_cuda_row_sums[];

namespace loci::cuda {
namespace {

constexpr KernelImage kLookUpImage{"look_up", loci_cuda_look_up};
constexpr KernelImage kRowSumsImage{"row_sums", loci_cuda_row_sums};

// The kernels of one stem and type of ids, by the bytes that a thread moves at once.
class ByUnit {
 public:
  ByUnit(const sdk::Prepare& prepare, const std::string& stem, loci_dtype ids,
         std::uint64_t row_bytes)
      : row_bytes_(row_bytes) {
    for (std::uint64_t unit = 1; unit <= kMostBytes; unit *= 2) {
      const std::string name = stem + "_" + std::to_string(unit);
      functions_.emplace_back(prepare, kLookUpImage, typed_name(name, ids));
    }
  }

  // Calls launch(function, units of a row) for the longest unit that rows at these addresses are
  // made of.
  template <class Launch>
  void with_unit(const void* x, const void* y, const Launch& launch) const {
    const auto bits = reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y);
    std::size_t unit = functions_.size() - 1;
    while ((bits | row_bytes_) % (std::uint64_t{1} << unit) != 0) --unit;
    launch(functions_[unit], static_cast<std::int64_t>(row_bytes_ >> unit));
  }

 private:
  static constexpr std::uint64_t kMostBytes = 16;

  std::uint64_t row_bytes_;
  std::vector<KernelFunction> functions_;
};

struct LookUpRows {
  void launch(const sdk::Launch& launch) const {
    const void* table = launch.input<void>(0);
    void* out = launch.output<void>(0);
    functions.with_unit(table, out, [&](const KernelFunction& function, std::int64_t units) {
      function.launch(launch, look_up.tables * look_up.count * units, table, launch.input<void>(1),
                      out, look_up, units);
    });
  }
  ByUnit functions;
  LookUp look_up;
};

void emplace_look_up(sdk::Prepare& prepare, const LookUp& look_up, std::int64_t width) {
  const std::uint64_t bytes = sdk::dtype_bytes(prepare.op().input(0).dtype());
  ByUnit functions(prepare, "look_up", prepare.op().input(1).dtype(),
                   static_cast<std::uint64_t>(width) * bytes);
  prepare.emplace<LookUpRows>(std::move(functions), look_up);
}

// Sorts the ids, and adds up the rows of each, so that no order hangs on the device's.
class RowSums {
 public:
  RowSums(const sdk::Prepare& prepare, const LookUp& look_up, std::int64_t width)
      : device_(sdk::device_of<Device>(prepare.device())),
        look_up_(look_up),
        width_(width),
        bytes_(static_cast<std::uint64_t>(prepare.op().output(0).numel()) *
               sdk::dtype_bytes(prepare.op().output(0).dtype())),
        sort_(prepare, prepare.op().input(1).dtype(), look_up.count, look_up.rows),
        sum_(prepare, kRowSumsImage, typed_name("sum_rows", prepare.op().output(0).dtype())) {}

  void launch(const sdk::Launch& launch) const {
    fill_on_device(device_, launch, launch.output<void>(0), 0, bytes_);
    if (look_up_.count == 0) return;
    const std::uint64_t* keys =
        sort_.launch(launch, launch.input<void>(1), launch.workspace<std::uint64_t>());
    sum_.launch(launch, look_up_.tables * look_up_.count * width_, keys, launch.input<void>(2),
                launch.output<void>(0), look_up_, width_);
  }

 private:
  Device& device_;
  LookUp look_up_;
  std::int64_t width_;
  std::uint64_t bytes_;  // of the output
  RowSort sort_;
  KernelFunction sum_;
};

void emplace_row_sums(sdk::Prepare& prepare, const LookUp& look_up, std::int64_t width) {
  prepare.set_workspace(RowSort::workspace_bytes(look_up.count));
  prepare.emplace<RowSums>(prepare, look_up, width);
}

// Look-ups in one table for each position before the axis, whose rows are what lies after it.
template <bool is_gradient>
class Gather final : public sdk::Kernel {
 public:
  explicit Gather(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const sdk::AxisSplit split((is_gradient ? op.output(0) : op.input(0)).dims(), axis_);
    const LookUp look_up{split.outer, op.input(1).numel(), split.count, -1};
    is_gradient ? emplace_row_sums(prepare, look_up, split.inner)
                : emplace_look_up(prepare, look_up, split.inner);
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
    const LookUp look_up{1, op.input(1).numel(), weight.dim(0), padding_};
    is_gradient ? emplace_row_sums(prepare, look_up, weight.dim(1))
                : emplace_look_up(prepare, look_up, weight.dim(1));
  }

  static std::string grad_refusal(const sdk::OpDesc& op) {
    if (!op.output(0).has_dims() || !op.input(1).has_dims()) return {};
    return RowSort::refusal(op.output(0).dim(0), op.input(1).numel());
  }

 private:
  std::int64_t padding_;
};

// Both outputs are copies, except that padding has no gradient. Without a row to zero, rows of no
// element too, they are made by the driver.
struct RowsGrad {
  void launch(const sdk::Launch& launch) const {
    const void* ids = launch.input<void>(0);
    const void* out_grad = launch.input<void>(1);
    void* values = launch.output<void>(1);
    if (padding < 0 || row_bytes == 0) {
      copy_on_device(*device, launch, ids, launch.output<void>(0), ids_bytes);
      copy_on_device(*device, launch, out_grad, values,
                     static_cast<std::uint64_t>(count) * row_bytes);
      return;
    }
    functions.with_unit(out_grad, values, [&](const KernelFunction& function, std::int64_t units) {
      function.launch(launch, count * units, ids, out_grad, launch.output<void>(0), values, count,
                      units, padding);
    });
  }
  Device* device;
  ByUnit functions;
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
        ByUnit(prepare, "rows_grad", rows.dtype(), row_bytes), rows.numel(),
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
