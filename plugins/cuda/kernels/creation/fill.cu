// fill_uBITS(out, count, element): the low bits of `element`. assign(out, bytes, values): bytes
// that are parameters of the launch. range_DTYPE(out, count, start, step).
#include <cstdint>

#include "kernels/creation/assigned_bytes.h"
#include "kernels/device/convert.cuh"
#include "kernels/device/elements.cuh"
#include "kernels/device/instances.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {
namespace {

template <class T>
__device__ void fill(T* out, std::int64_t count, T element) {
  const Turns turn = turns();
  std::int64_t done = 0;
  if (are_vectors(out)) {
    constexpr std::int64_t kLanes = Vector<T>::kLanes;
    Vector<T> vector;
#pragma unroll
    for (T& lane : vector.lanes) lane = element;
    done = count - count % kLanes;
    for (std::int64_t i = turn.first * kLanes; i < done; i += turn.step * kLanes) {
      store_vector(out + i, vector);
    }
  }
  for (std::int64_t i = done + turn.first; i < count; i += turn.step) out[i] = element;
}

// Unsigned: each element is an int64, the way to it need not be one.
template <class T>
__device__ void range(T* out, std::int64_t count, std::uint64_t start, std::uint64_t step) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < count; i += turn.step) {
    const std::uint64_t element = start + static_cast<std::uint64_t>(i) * step;
    out[i] = convert<T>(static_cast<std::int64_t>(element));
  }
}

}  // namespace

#define LOCI_FILL(dtype, T, ...)                                        \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)           \
      fill_##dtype(T* out, std::int64_t count, std::uint64_t element) { \
    fill(out, count, static_cast<T>(element));                          \
  }

LOCI_UNSIGNED(LOCI_FILL)

#define LOCI_RANGE(dtype, T, ...)                                                          \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                              \
      range_##dtype(T* out, std::int64_t count, std::uint64_t start, std::uint64_t step) { \
    range(out, count, start, step);                                                        \
  }

LOCI_NUMBERS(LOCI_RANGE)

extern "C" __global__ void __launch_bounds__(kBlockThreads)
    assign(std::uint8_t* out, std::int64_t bytes, const __grid_constant__ AssignedBytes values) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < bytes; i += turn.step) out[i] = values.bytes[i];
}

}  // namespace loci::cuda
