#include "kernels/launch/axis_function.h"

#include "device.h"

namespace loci::cuda {

AxisFunction::AxisFunction(const sdk::Prepare& prepare, const KernelImage& image,
                           const std::string& name, const AxisVectors& vectors,
                           const SharedRows& shared)
    : layout_(vectors.layout),
      size_{threads_of(vectors)},
      function_(prepare, image, name + vectors.instance()) {
  if (shared.count == 0) return;
  const Device& device = sdk::device_of<Device>(prepare.device());
  const std::int64_t blocks = staging_blocks(vectors, device.multiprocessors());
  // A block that has one vector would read them for that alone, and wait for it.
  if (blocks >= layout_.vectors) return;
  size_.shared_bytes = staged_bytes(vectors, shared.count, shared.dtype);
  layout_.is_staged = size_.shared_bytes != 0;
  if (layout_.is_staged) size_.most_blocks = blocks;
}

}  // namespace loci::cuda
