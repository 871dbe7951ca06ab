// The sum of tensors of one shape: sum_DTYPE(arguments). Terms are added in order, and halves are
// rounded once.
#include "kernels/device/elements.cuh"
#include "kernels/launch/block_threads.h"
#include "kernels/sum/sum_arguments.h"

namespace loci::cuda {
namespace {

template <class T>
__device__ bool are_all_vectors(const SumArguments& arguments) {
  bool are = are_vectors(static_cast<const T*>(arguments.out));
  for (std::uint32_t k = 0; k < arguments.inputs; ++k) {
    are &= are_vectors(static_cast<const T*>(arguments.terms[k]));
  }
  return are;
}

template <class T>
__device__ const T* term(const SumArguments& arguments, std::uint32_t k) {
  return static_cast<const T*>(arguments.terms[k]);
}

template <class T>
__device__ void add_vectors(const SumArguments& arguments, std::int64_t i) {
  constexpr int kLanes = Vector<T>::kLanes;
  computed_t<T> sums[kLanes];
  Vector<T> vector = load_vector(term<T>(arguments, 0) + i);
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) sums[lane] = Element<T>::widen(vector.lanes[lane]);
  for (std::uint32_t k = 1; k < arguments.inputs; ++k) {
    vector = load_vector(term<T>(arguments, k) + i);
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) sums[lane] += Element<T>::widen(vector.lanes[lane]);
  }
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) vector.lanes[lane] = Element<T>::narrow(sums[lane]);
  store_vector(static_cast<T*>(arguments.out) + i, vector);
}

template <class T>
__device__ void add(const SumArguments& arguments) {
  constexpr std::int64_t kLanes = Vector<T>::kLanes;
  const Turns turn = turns();
  std::int64_t done = 0;
  if (are_all_vectors<T>(arguments)) {
    done = arguments.count - arguments.count % kLanes;
    for (std::int64_t i = turn.first * kLanes; i < done; i += turn.step * kLanes) {
      add_vectors<T>(arguments, i);
    }
  }
  for (std::int64_t i = done + turn.first; i < arguments.count; i += turn.step) {
    computed_t<T> sum = Element<T>::widen(term<T>(arguments, 0)[i]);
    for (std::uint32_t k = 1; k < arguments.inputs; ++k) {
      sum += Element<T>::widen(term<T>(arguments, k)[i]);
    }
    static_cast<T*>(arguments.out)[i] = Element<T>::narrow(sum);
  }
}

}  // namespace

#define LOCI_SUM(dtype, T)                                          \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)       \
      sum_##dtype(const __grid_constant__ SumArguments arguments) { \
    add<T>(arguments);                                              \
  }

LOCI_SUM(f32, float)
LOCI_SUM(f64, double)
LOCI_SUM(f16, __half)
LOCI_SUM(bf16, __nv_bfloat16)
LOCI_SUM(u8, std::uint8_t)
LOCI_SUM(u16, std::uint16_t)
LOCI_SUM(u32, std::uint32_t)
LOCI_SUM(u64, std::uint64_t)

}  // namespace loci::cuda
