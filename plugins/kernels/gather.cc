// gather and its gradient: look-ups in one table for each position before the axis.
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/look_up.h"
#include "plugins/kernels/row_sums.h"

namespace loci::kernels {
namespace {

using sdk::OpDesc;
using sdk::Prepare;

// x seen as tables of rows along the axis.
struct Tables {
  Tables(sdk::Dims dims, std::int64_t axis) {
    const auto at =
        static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(dims.size()) : axis);
    for (std::size_t i = 0; i < at; ++i) count *= dims[i];
    rows = dims[at];
    for (std::size_t i = at + 1; i < dims.size(); ++i) width *= dims[i];
  }
  std::int64_t count = 1;
  std::int64_t rows = 1;
  std::int64_t width = 1;
};

class Gather final : public sdk::Kernel {
 public:
  explicit Gather(const OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const Tables tables(x.dims(), axis_);
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(x.dtype()));
    prepare.emplace<LookUp>(LookUp{.op = "gather",
                                   .host = &prepare.host(),
                                   .tables = tables.count,
                                   .count = prepare.op().input(1).numel(),
                                   .rows = tables.rows,
                                   .row_bytes = tables.width * bytes});
  }

 private:
  std::int64_t axis_;
};

class GatherGrad final : public sdk::Kernel {
 public:
  explicit GatherGrad(const OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().output(0);
    const Tables tables(x.dims(), axis_);
    const std::int64_t count = prepare.op().input(1).numel();
    prepare.set_workspace(static_cast<std::uint64_t>(count) * sizeof(RowKey));
    sdk::visit_floats(x.dtype(), [&](auto tag) {
      using Grad = RowSums<typename decltype(tag)::type>;
      prepare.emplace<Grad>(Grad{.op = "gather_grad",
                                 .host = &prepare.host(),
                                 .tables = tables.count,
                                 .count = count,
                                 .rows = tables.rows,
                                 .width = tables.width});
    });
  }

  static std::string supports(const OpDesc& op) {
    const auto x = op.output(0);
    const auto index = op.input(1);
    if (!x.has_dims() || !index.has_dims()) return {};
    const Tables tables(x.dims(), op.attributes().integer("axis"));
    return row_keys_refusal(tables.rows, index.numel());
  }

 private:
  std::int64_t axis_;
};

}  // namespace

void add_gather(KernelDefs& kernels) {
  kernels.push_back({.op = "gather",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<Gather>});
  kernels.push_back({.op = "gather_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<GatherGrad>,
                     .supports = GatherGrad::supports});
}

}  // namespace loci::kernels
