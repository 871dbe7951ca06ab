// The source of a chain of elementwise steps is written in these (fused_source.h): NVRTC compiles
// it at run time with these headers, whose text the plugin carries. Values have the types that the
// kernel which interprets holds them in, and are rounded as there.
#pragma once

#include "kernels/device/locate.cuh"
#include "kernels/elementwise/activation_grad_functions.cuh"
#include "kernels/elementwise/choice_functions.cuh"
#include "kernels/elementwise/clip_functions.cuh"
#include "kernels/elementwise/compare_functions.cuh"
#include "kernels/elementwise/power_functions.cuh"
#include "kernels/elementwise/scale_functions.cuh"
#include "kernels/elementwise/unary_functions.cuh"
#include "kernels/fused_elementwise/fused_axes.h"
#include "kernels/fused_elementwise/held_value.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

template <class T>
__device__ held_t<T> value_of(T element) {
  return static_cast<held_t<T>>(Element<T>::widen(element));
}

template <class T>
__device__ T element_of(held_t<T> value) {
  if constexpr (kIsFloat<T>) {
    return Element<T>::narrow(value);
  } else {
    return static_cast<T>(value);
  }
}

// Returns a value as a bool or as the result of a relation.
template <class C>
__device__ std::uint64_t truth(C value) {
  return value != 0 ? 1 : 0;
}

// How many of the elements, from the first on, are whole vectors that lie in one row.
template <int lanes>
__device__ std::int64_t whole_vectors(std::int64_t count, const FusedAxes& axes) {
  return axes.axes[0].extent % lanes == 0 ? count : 0;
}

}  // namespace loci::cuda
