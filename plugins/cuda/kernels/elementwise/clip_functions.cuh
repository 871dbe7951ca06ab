// x between two ends. NaN passes, as the comparisons are written.
#pragma once

namespace loci::cuda {

template <class C>
struct Clip {
  __device__ C value(C x) const {
    const C above = x < min ? min : x;
    return above > max ? max : above;
  }
  C min;
  C max;
};

template <class C>
struct ClipGrad {
  __device__ C value(C x, C out_grad) const { return x < min || x > max ? C{0} : out_grad; }
  C min;
  C max;
};

}  // namespace loci::cuda
