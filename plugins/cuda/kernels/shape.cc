// shape: the extents of a tensor, on the host. Nothing of it is done by the device.
#include <array>
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/kernel_list.h"

namespace loci::cuda {
namespace {

struct Extents {
  void launch(const sdk::Launch& launch) const {
    auto* out = launch.output<std::int32_t>(0);
    for (std::size_t i = 0; i < rank; ++i) out[i] = extents[i];
  }
  std::size_t rank;
  std::array<std::int32_t, LOCI_MAX_RANK> extents;
};

void prepare_extents(sdk::Prepare& prepare) {
  const sdk::Dims dims = prepare.op().input(0).dims();
  Extents result{dims.size(), {}};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    result.extents[i] = static_cast<std::int32_t>(dims[i]);
  }
  prepare.emplace<Extents>(result);
}

}  // namespace

void add_shape(Kernels& kernels) {
  sdk::KernelDef shape{"shape", kName, sdk::kAllBits, sdk::make_kernel<prepare_extents>};
  shape.not_capturable = "its result lies on the host";
  kernels.push_back(std::move(shape));
}

}  // namespace loci::cuda
