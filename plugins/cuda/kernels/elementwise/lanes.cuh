// How many elements a thread computes at once, of operands and a result of several types.
#pragma once

#include "kernels/device/elements.cuh"

namespace loci::cuda {

// A function with a `kOneByOne` takes so many instructions that copies of it for each lane would
// save nothing.
template <class F>
concept IsOneByOne = requires {
  F::kOneByOne;
};

__device__ constexpr int larger(int x, int y) { return x > y ? x : y; }

// The longest of the types fills a vector.
template <class F, class First, class... T>
__device__ constexpr int lanes_of() {
  if constexpr (IsOneByOne<F>) return 1;
  int bytes = sizeof(First);
  ((bytes = larger(bytes, static_cast<int>(sizeof(T)))), ...);
  return 16 / bytes;
}

template <class R, class F, class... T>
__device__ R apply_to(const F& function, T... in) {
  return narrowed<R>(function.value(Element<T>::widen(in)...));
}

template <class R, int lanes, class F, class... T>
__device__ Vector<R, lanes> apply_to_lanes(const F& function, const Vector<T, lanes>&... in) {
  Vector<R, lanes> out;
#pragma unroll
  for (int i = 0; i < lanes; ++i) out.lanes[i] = apply_to<R>(function, in.lanes[i]...);
  return out;
}

}  // namespace loci::cuda
