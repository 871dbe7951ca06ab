#include "kernels/axis_function.h"

#include "device.h"

namespace loci::cuda {

AxisFunction::AxisFunction(const sdk::Prepare& prepare, const KernelImage& image,
                           const std::string& name, const AxisVectors& vectors,
                           const SharedRows& shared)
    : layout_(vectors.layout),
      size_{threads_of(vectors)},
      function_(prepare, image,
                name + (vectors.are_rows ? "_rows_" : "_columns_") + std::to_string(vectors.held)) {
  if (shared.count == 0) return;
  size_.shared_bytes = staged_bytes(vectors, shared.count, shared.dtype);
  layout_.is_staged = size_.shared_bytes != 0;
  if (!layout_.is_staged) return;
  const Device& device = sdk::device_of<Device>(prepare.device());
  size_.most_blocks = staging_blocks(vectors, device.multiprocessors());
}

}  // namespace loci::cuda
