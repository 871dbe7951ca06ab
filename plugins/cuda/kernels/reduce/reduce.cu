// Sums, means, and what repeats: kernels as reduce.cuh says, with a divisor, and
// repeat_DTYPE(x, out, divisor, count, axes): `out` is x repeated, divided.
#include "kernels/launch/block_threads.h"
#include "kernels/reduce/reduce_folds.cuh"

namespace loci::cuda {
namespace {

template <class T>
__device__ T share_of(T value, double divisor) {
  if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    return Element<T>::narrow(Element<T>::widen(value) / static_cast<computed_t<T>>(divisor));
  }
}

// Elements side by side, or copies of one.
template <class T>
__device__ Vector<T> load_row(const T* from, bool moves) {
  if (moves && are_vectors(from)) return load_vector(from);
  Vector<T> vector;
#pragma unroll
  for (int lane = 0; lane < Vector<T>::kLanes; ++lane) vector.lanes[lane] = from[moves ? lane : 0];
  return vector;
}

template <class T>
__device__ Vector<T> shares(Vector<T> vector, double divisor) {
#pragma unroll
  for (T& lane : vector.lanes) lane = share_of(lane, divisor);
  return vector;
}

// A vector of the result lies in one run of copies or of elements.
template <class T>
__device__ void repeat(const T* x, T* out, double divisor, std::int64_t count,
                       const ElementAxes& axes) {
  constexpr std::int64_t kLanes = Vector<T>::kLanes;
  const Turns turn = turns();
  const bool moves = axes.rank > 0 && axes.axes[0].step != 0;
  if (are_vectors(out) && axes.rank > 0 && axes.axes[0].extent % kLanes == 0) {
    for (std::int64_t i = turn.first * kLanes; i < count; i += turn.step * kLanes) {
      const T* from = x + offset_of(axes, i);
      store_vector(out + i, shares(load_row(from, moves), divisor));
    }
    return;
  }
  for (std::int64_t i = turn.first; i < count; i += turn.step) {
    out[i] = share_of(x[offset_of(axes, i)], divisor);
  }
}

}  // namespace

#define LOCI_REPEAT(dtype, T)                                                \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                \
      repeat_##dtype(const T* x, T* out, double divisor, std::int64_t count, \
                     const __grid_constant__ ElementAxes axes) {             \
    repeat(x, out, divisor, count, axes);                                    \
  }

LOCI_REDUCE_BITS(sum, SumFold)
LOCI_REPEAT(f32, float)
LOCI_REPEAT(f64, double)
LOCI_REPEAT(f16, __half)
LOCI_REPEAT(bf16, __nv_bfloat16)
LOCI_REPEAT(u8, std::uint8_t)
LOCI_REPEAT(u16, std::uint16_t)
LOCI_REPEAT(u32, std::uint32_t)
LOCI_REPEAT(u64, std::uint64_t)

}  // namespace loci::cuda
