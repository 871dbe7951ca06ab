// Parts of arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>

#include "plugins/cpu/onednn/cut.h"
#include "plugins/cpu/onednn/elements.h"
#include "plugins/cpu/onednn/execution.h"
#include "plugins/kernels/image_layout.h"

namespace loci::cpu::onednn {

// A part of an argument of an op: extents, strides and where it begins, in elements.
struct SubArray {
  dnnl::memory::dims extents;
  dnnl::memory::dims strides;
  std::int64_t begin = 0;

  // All of a dense array.
  static SubArray dense(dnnl::memory::dims extents);
  // All of images [batch, channels, height, width] in that layout.
  static SubArray images(dnnl::memory::dims extents, kernels::ImageLayout layout);
  // Only that range of the axis.
  void narrow(std::size_t axis, Range range);
  // Brings images in that layout into the form of the primitives: axes of one element, as a part
  // may have, step as if there were more.
  void normalize(kernels::ImageLayout layout);
  [[nodiscard]] Slice slice(const Elements& elements) const {
    return {elements.strided(extents, strides), begin * elements.size()};
  }
};

}  // namespace loci::cpu::onednn
