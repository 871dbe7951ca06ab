#include "plugins/cpu/onednn/sub_array.h"

#include <algorithm>
#include <array>
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

SubArray SubArray::images(memory::dims extents, kernels::ImageLayout layout) {
  SubArray all = dense(std::move(extents));
  if (layout == kernels::ImageLayout::kNchw) return all;
  const memory::dims& size = all.extents;
  all.strides = {size[1] * size[2] * size[3], 1, size[1] * size[3], size[1]};
  return all;
}

void SubArray::normalize(kernels::ImageLayout layout) {
  constexpr std::array<std::size_t, 4> kNchw{3, 2, 1, 0};  // the innermost axis first
  constexpr std::array<std::size_t, 4> kNhwc{1, 3, 2, 0};
  std::int64_t step = 1;
  for (const std::size_t axis : layout == kernels::ImageLayout::kNchw ? kNchw : kNhwc) {
    if (extents[axis] == 1) strides[axis] = step;
    step = strides[axis] * extents[axis];
  }
}

void SubArray::narrow(std::size_t axis, Range range) {
  begin += range.begin * strides[axis];
  extents[axis] = range.count;
}

}  // namespace loci::cpu::onednn
