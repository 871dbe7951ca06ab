#include "plugins/cpu/onednn/sub_array.h"

#include <algorithm>
#include <utility>

namespace loci::cpu::onednn {

using dnnl::memory;

SubArray SubArray::dense(memory::dims extents) {
  memory::dims strides(extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(extents[i], 1);
  }
  return {std::move(extents), std::move(strides), 0};
}

void SubArray::narrow(std::size_t axis, Range range) {
  begin += range.begin * strides[axis];
  extents[axis] = range.count;
}

}  // namespace loci::cpu::onednn
