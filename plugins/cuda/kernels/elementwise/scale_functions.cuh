// factor * x + bias.
#pragma once

#include <cstdint>

#include "kernels/device/convert.cuh"

namespace loci::cuda {

// In the type of the constants: that of a floating x, or uint64, of which a narrower integer is the
// low bits.
template <class Constant>
struct Scale {
  template <class C>
  __device__ C value(C x) const {
    return static_cast<C>(static_cast<Constant>(x) * factor + bias);
  }
  Constant factor;
  Constant bias;
};

template <class T>
struct ScaleRounded {
  __device__ T value(T x) const { return convert<T>(static_cast<double>(x) * factor + bias); }
  double factor;
  double bias;
};

}  // namespace loci::cuda
