// Where an element of a batch of images is, from its number.
#pragma once

#include "kernels/device/fast_divmod.cuh"

namespace loci::cuda {

struct ImagePlace {
  std::int64_t plane;
  std::int64_t row;
  std::int64_t column;
};

__device__ inline ImagePlace image_place(std::int64_t element, const FastDivmod& height,
                                         const FastDivmod& width) {
  const std::int64_t line = quotient(element, width);
  const std::int64_t plane = quotient(line, height);
  return {plane, line - plane * height.value, element - line * width.value};
}

}  // namespace loci::cuda
