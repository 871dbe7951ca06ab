// gather and its gradient: look-ups in one table for each position before the axis, whose rows are
// what lies after it.
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/row_gather.h"
#include "plugins/kernels/row_sums.h"

namespace loci::kernels {
namespace {

using sdk::OpDesc;
using sdk::Prepare;

std::int64_t dimension(sdk::Dims x, std::int64_t axis_attribute) {
  return static_cast<std::int64_t>(sdk::axis_index(axis_attribute, x.size()));
}

class Gather final : public sdk::Kernel {
 public:
  explicit Gather(const OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const sdk::AxisSplit split(x.dims(), axis_);
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(x.dtype()));
    prepare.emplace<RowGather>(RowGather{.op = "gather",
                                         .host = &prepare.host(),
                                         .tables = split.outer,
                                         .count = prepare.op().input(1).numel(),
                                         .rows = split.count,
                                         .row_bytes = split.inner * bytes,
                                         .axis = dimension(x.dims(), axis_)});
  }

 private:
  std::int64_t axis_;
};

class GatherGrad final : public sdk::Kernel {
 public:
  explicit GatherGrad(const OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().output(0);
    const sdk::AxisSplit split(x.dims(), axis_);
    const std::int64_t count = prepare.op().input(1).numel();
    prepare.set_workspace(row_keys_bytes(count));
    sdk::visit_floats(x.dtype(), [&](auto tag) {
      using Grad = RowSums<typename decltype(tag)::type>;
      prepare.emplace<Grad>(Grad{.op = "gather_grad",
                                 .host = &prepare.host(),
                                 .tables = split.outer,
                                 .count = count,
                                 .rows = split.count,
                                 .width = split.inner,
                                 .axis = dimension(x.dims(), axis_)});
    });
  }

  static std::string supports(const OpDesc& op) {
    const auto x = op.output(0);
    const auto index = op.input(1);
    if (!x.has_dims() || !index.has_dims()) return {};
    const sdk::AxisSplit split(x.dims(), op.attributes().integer("axis"));
    return row_keys_refusal(split.count, index.numel());
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
