// Choices among elements.
#pragma once

#include <cstdint>

namespace loci::cuda {

struct Where {
  template <class C>
  static __device__ C value(std::uint8_t condition, C x, C y) {
    return condition != 0 ? x : y;
  }
};

// The share of the gradient that the larger of a pair gets: half of it if neither is.
struct ShareOfLarger {
  template <class C>
  static __device__ C value(C x, C y, C out_grad) {
    if (x > y) return out_grad;
    return y > x ? C{0} : static_cast<C>(0.5) * out_grad;
  }
};

}  // namespace loci::cuda
