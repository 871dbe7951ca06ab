// out[i] = function(x[at x of i], ...), operands broadcast together.
#pragma once

#include <utility>

#include "kernels/device/locate.cuh"
#include "kernels/elementwise/lanes.cuh"
#include "kernels/launch/axes.h"

namespace loci::cuda {

// An operand that repeats along the rows need not be aligned.
template <int lanes, class T>
__device__ bool is_row_of_vectors(const T* first, std::int64_t step) {
  return step == 0 || is_vector<lanes>(first);
}

template <int lanes, class T>
__device__ Vector<T, lanes> load_row(const T* from, std::int64_t step) {
  if (step != 0) return load_lanes<lanes>(from);
  Vector<T, lanes> vector;
#pragma unroll
  for (T& lane : vector.lanes) lane = *from;
  return vector;
}

// How many of the elements, from the first on, are whole vectors. A vector lies in one row if rows
// are whole vectors; what advances along them is aligned in each.
template <int lanes, std::size_t operands>
__device__ std::int64_t in_vectors(const BroadcastAxes<operands>& axes) {
  if (axes.rank == 1) return whole_vectors<lanes>(axes.count);
  return axes.axes[0].extent % lanes == 0 ? axes.count : 0;
}

template <class F, class R, class... T, std::size_t... o>
__device__ void map_broadcast(const F& function, R* out, const BroadcastAxes<sizeof...(T)>& axes,
                              std::index_sequence<o...>, const T*... in) {
  constexpr int kLanes = lanes_of<F, R, T...>();
  const Turns turn = turns();
  const auto& row = axes.axes[0];
  std::int64_t done = 0;
  if (is_vector<kLanes>(out) && (is_row_of_vectors<kLanes>(in, row.steps[o]) && ...)) {
    done = in_vectors<kLanes>(axes);
    for (std::int64_t i = turn.first * kLanes; i < done; i += turn.step * kLanes) {
      const auto at = locate(axes, i);
      store_vector(out + i,
                   apply_to_lanes<R>(function, load_row<kLanes>(in + at.of[o], row.steps[o])...));
    }
  }
#pragma unroll 1  // which divides before the first round otherwise
  for (std::int64_t i = done + turn.first; i < axes.count; i += turn.step) {
    const auto at = locate(axes, i);
    out[i] = apply_to<R>(function, in[at.of[o]]...);
  }
}

// `out` may be an operand that has its type and shape.
template <class F, class R, class... T>
__device__ void map_broadcast(const F& function, R* out, const BroadcastAxes<sizeof...(T)>& axes,
                              const T*... in) {
  map_broadcast(function, out, axes, std::index_sequence_for<T...>(), in...);
}

}  // namespace loci::cuda
