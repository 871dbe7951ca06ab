// Functions of pairs of elements. NAME_DTYPE(x, y, out, count, x_step, y_step): the operands
// advance by one element for one, or, with steps of 0, repeat their only one.
// NAME_broadcast_DTYPE(x, y, out, axes): any other broadcasting. `out` may be an operand that has
// its shape.
#include "kernels/binary_functions.cuh"
#include "kernels/block_threads.h"
#include "kernels/broadcast_axes.h"
#include "kernels/division.cuh"
#include "kernels/elements.cuh"

namespace loci::cuda {
namespace {

template <class F, class T>
__device__ T apply(T x, T y) {
  return Element<T>::narrow(F::value(Element<T>::widen(x), Element<T>::widen(y)));
}

template <class F, class T>
__device__ Vector<T> apply(Vector<T> x, const Vector<T>& y) {
#pragma unroll
  for (int i = 0; i < Vector<T>::kLanes; ++i) x.lanes[i] = apply<F>(x.lanes[i], y.lanes[i]);
  return x;
}

// An operand along a row.
template <class T>
__device__ Vector<T> load_row(const T* from, std::int64_t step) {
  if (step != 0) return load_vector(from);
  Vector<T> vector;
#pragma unroll
  for (T& lane : vector.lanes) lane = *from;
  return vector;
}

template <class T>
__device__ bool is_row_of_vectors(const T* first, std::int64_t step) {
  return step == 0 || are_vectors(first);
}

template <class F, class T>
__device__ void map_row(const T* x, const T* y, T* out, std::int64_t count, std::int64_t x_step,
                        std::int64_t y_step) {
  const Turns turn = turns();
  std::int64_t done = 0;
  if (are_vectors(out) && is_row_of_vectors(x, x_step) && is_row_of_vectors(y, y_step)) {
    constexpr std::int64_t kLanes = Vector<T>::kLanes;
    done = count - count % kLanes;
    for (std::int64_t i = turn.first * kLanes; i < done; i += turn.step * kLanes) {
      store_vector(out + i,
                   apply<F>(load_row(x + i * x_step, x_step), load_row(y + i * y_step, y_step)));
    }
  }
  for (std::int64_t i = done + turn.first; i < count; i += turn.step) {
    out[i] = apply<F>(x[i * x_step], y[i * y_step]);
  }
}

struct Offsets {
  std::int64_t x = 0;
  std::int64_t y = 0;

  __device__ void move(const BroadcastAxis& axis, std::int64_t steps) {
    x += steps * axis.x_step;
    y += steps * axis.y_step;
  }
};

__device__ Offsets locate(const BroadcastAxes& axes, std::int64_t position) {
  Offsets at;
  const int last = axes.rank - 1;
#pragma unroll 1  // two or three rounds
  for (int i = 0; i < last; ++i) {
    const BroadcastAxis& axis = axes.axes[i];
    const std::int64_t outer = quotient(position, axis.by_extent);
    at.move(axis, position - outer * axis.extent);
    position = outer;
  }
  at.move(axes.axes[last], position);
  return at;
}

// A vector lies in one row if rows are whole vectors; what advances along them is aligned in each.
template <class F, class T>
__device__ void map_broadcast(const T* x, const T* y, T* out, const BroadcastAxes& axes) {
  constexpr std::int64_t kLanes = Vector<T>::kLanes;
  const Turns turn = turns();
  const BroadcastAxis& row = axes.axes[0];
  if (row.extent % kLanes == 0 && are_vectors(out) && is_row_of_vectors(x, row.x_step) &&
      is_row_of_vectors(y, row.y_step)) {
    for (std::int64_t i = turn.first * kLanes; i < axes.count; i += turn.step * kLanes) {
      const Offsets at = locate(axes, i);
      store_vector(out + i,
                   apply<F>(load_row(x + at.x, row.x_step), load_row(y + at.y, row.y_step)));
    }
    return;
  }
  for (std::int64_t i = turn.first; i < axes.count; i += turn.step) {
    const Offsets at = locate(axes, i);
    out[i] = apply<F>(x[at.x], y[at.y]);
  }
}

}  // namespace

#define LOCI_BINARY(name, Function, dtype, T)                                                 \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                 \
      name##_##dtype(const T* x, const T* y, T* out, std::int64_t count, std::int64_t x_step, \
                     std::int64_t y_step) {                                                   \
    map_row<Function>(x, y, out, count, x_step, y_step);                                      \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) name##_broadcast_##dtype(       \
      const T* x, const T* y, T* out, const __grid_constant__ BroadcastAxes axes) {           \
    map_broadcast<Function>(x, y, out, axes);                                                 \
  }
#define LOCI_BINARY_FLOATS(name, Function) \
  LOCI_BINARY(name, Function, f32, float)  \
  LOCI_BINARY(name, Function, f64, double) \
  LOCI_BINARY(name, Function, f16, __half) \
  LOCI_BINARY(name, Function, bf16, __nv_bfloat16)
#define LOCI_BINARY_NUMBERS(name, Function)      \
  LOCI_BINARY_FLOATS(name, Function)             \
  LOCI_BINARY(name, Function, i32, std::int32_t) \
  LOCI_BINARY(name, Function, i64, std::int64_t)

LOCI_BINARY_NUMBERS(elementwise_add, Add)
LOCI_BINARY_NUMBERS(elementwise_sub, Sub)
LOCI_BINARY_NUMBERS(elementwise_mul, Mul)
LOCI_BINARY_NUMBERS(elementwise_div, Div)
LOCI_BINARY_NUMBERS(elementwise_max, Max)
LOCI_BINARY_NUMBERS(elementwise_min, Min)
LOCI_BINARY_FLOATS(square_error_cost, SquareError)

}  // namespace loci::cuda
