// expand, expand_like and tile, which repeat; reduce.cc has tile_grad, which adds up.
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/strided_copy.h"

namespace loci::kernels {
namespace {

using sdk::OpDesc;
using sdk::Prepare;
using sdk::StridedCopyPlan;

struct Repetition {
  void launch(const sdk::Launch& launch) const {
    if (copy.empty()) return;
    copy_strided(*host, copy, launch.input<char>(0), launch.output<char>(0));
  }
  const sdk::Host* host;
  StridedCopyPlan copy;
};

// Each dimension of the result is copies of one of x; those in front of x are copies of all of it.
void prepare_repetition(Prepare& prepare) {
  const auto x = prepare.op().input(0);
  const auto out = prepare.op().output(0);
  const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(x.dtype()));
  const sdk::Strides from = sdk::dense_strides(x.dims(), bytes);
  const sdk::Strides to = sdk::dense_strides(out.dims(), bytes);
  const auto added = static_cast<std::size_t>(out.rank() - x.rank());
  StridedCopyPlan copy(bytes);
  for (std::size_t i = 0; i < out.dims().size(); ++i) {
    const std::int64_t extent = i < added ? 1 : x.dims()[i - added];
    if (extent == 0 || out.dims()[i] == 0) {
      copy.axis(0, 0, 0);
      continue;
    }
    copy.axis(out.dims()[i] / extent, 0, extent * to[i]);
    copy.axis(extent, i < added ? 0 : from[i - added], to[i]);
  }
  prepare.emplace<Repetition>(&prepare.host(), copy.resolve());
}

}  // namespace

void add_expand(KernelDefs& kernels) {
  for (const char* op : {"expand", "expand_like", "tile"}) {
    kernels.push_back({.op = op,
                       .name = kPortable,
                       .dtypes = sdk::kAllBits,
                       .create = sdk::make_kernel<prepare_repetition>});
  }
}

}  // namespace loci::kernels
