// batch_norm and its gradient.
#include <loci/plugin/op_options.hpp>

#include "plugins/kernels/batch_norm_planes.h"
#include "plugins/kernels/batch_norm_rows.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/widened.h"

namespace loci::kernels {
namespace {

using sdk::Prepare;

ChannelPlanes planes_of(sdk::Dims dims, bool channels_last) {
  const std::size_t axis = channels_last ? dims.size() - 1 : 1;
  return {.outer = sdk::numel_of({dims.data(), axis}),
          .channels = dims[axis],
          .inner = sdk::numel_of({dims.data() + axis + 1, dims.size() - axis - 1})};
}

// A kernel of what T is computed in, which needs that much of the workspace.
template <class T, class Computed>
void emplace(Prepare& prepare, ArgumentCounts counts, std::uint64_t workspace,
             const Computed& kernel) {
  if constexpr (sdk::is_half<T>) {
    emplace_widened(prepare, counts, workspace, kernel);
  } else {
    prepare.set_workspace(workspace);
    prepare.emplace<Computed>(kernel);
  }
}

// Rows<C> and Planes<C>: the kernels for the two ways in which channels lie.
template <template <class> class Rows, template <class> class Planes, class Options>
void emplace_either(Prepare& prepare, bool channels_last, ArgumentCounts counts,
                    const Options& options) {
  const auto x = prepare.op().input(0);
  const ChannelPlanes planes = planes_of(x.dims(), channels_last);
  sdk::visit_floats(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = sdk::compute_t<T>;
    if (planes.inner == 1) {
      const Rows<C> kernel{&prepare.host(), ChannelRows(planes.outer, planes.channels), options};
      emplace<T>(prepare, counts, kernel.workspace_bytes(), kernel);
    } else {
      emplace<T>(prepare, counts, 0, Planes<C>{&prepare.host(), planes, options});
    }
  });
}

class BatchNormKernel final : public sdk::Kernel {
 public:
  explicit BatchNormKernel(const sdk::OpDesc& op)
      : layout_(op.attributes()), constants_(op.attributes()) {}

  void prepare(Prepare& prepare) const override {
    emplace_either<BatchNormRows, BatchNormPlanes>(
        prepare, layout_.channels_last, {5, 5},
        BatchNormOptions{layout_.fixed_statistics, constants_.momentum, constants_.epsilon});
  }

 private:
  sdk::BatchNormLayout layout_;
  sdk::BatchNormConstants constants_;
};

class BatchNormGradKernel final : public sdk::Kernel {
 public:
  explicit BatchNormGradKernel(const sdk::OpDesc& op) : layout_(op.attributes()) {}

  void prepare(Prepare& prepare) const override {
    emplace_either<BatchNormRowsGrad, BatchNormPlanesGrad>(prepare, layout_.channels_last, {5, 3},
                                                           layout_.fixed_statistics);
  }

 private:
  sdk::BatchNormLayout layout_;
};

}  // namespace

void add_batch_norm(KernelDefs& kernels) {
  kernels.push_back({.op = "batch_norm",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<BatchNormKernel>,
                     .aliases = {{0, 0}}});
  kernels.push_back({.op = "batch_norm_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<BatchNormGradKernel>});
}

}  // namespace loci::kernels
