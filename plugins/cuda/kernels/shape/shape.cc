// shape: the extents of a tensor, on the host. Nothing of it is done by the device.
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/shape.hpp>

#include "kernels/kernel_list.h"

namespace loci::cuda {

void add_shape(Kernels& kernels) {
  sdk::KernelDef shape{"shape", kName, sdk::kAllBits, sdk::make_kernel<sdk::prepare_shape>};
  shape.not_capturable = "its result lies on the host";
  kernels.push_back(std::move(shape));
}

}  // namespace loci::cuda
