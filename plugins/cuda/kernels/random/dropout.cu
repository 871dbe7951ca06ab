// dropout_DTYPE(x, state, out, mask, drawn, threshold, factor): an element stays where the upper 24
// bits of its word are at least the threshold. A thread's turn is a block of words.
// dropout_grad_DTYPE(out_grad, mask, x_grad, count, factor), and keep_DTYPE(x, out, count, factor).
// A result may be the operand of its type.
#include "kernels/device/instances.cuh"
#include "kernels/elementwise/dense_map.cuh"
#include "kernels/launch/block_threads.h"
#include "kernels/random/draws.h"
#include "kernels/random/random_words.cuh"

namespace loci::cuda {
namespace {

constexpr int kWords = 4;

// 0 where the mask is 0, whatever x is there.
template <class C>
struct Masked {
  __device__ C value(C x, std::uint8_t mask) const { return mask != 0 ? x * factor : C{0}; }
  C factor;
};

template <class C>
struct Kept {
  __device__ C value(C x) const { return x * factor; }
  C factor;
};

// Those of a block that are there.
template <class T>
__device__ void drop_some(const T* x, T* out, std::uint8_t* mask, int length,
                          const PhiloxBlock& block, std::uint32_t threshold,
                          const Masked<computed_t<T>>& masked) {
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    if (i >= length) return;
    mask[i] = (block.words[i] >> 8) >= threshold ? 1 : 0;
    out[i] = apply_to<T>(masked, x[i], mask[i]);
  }
}

template <class T>
__device__ void drop_whole(const T* x, T* out, std::uint8_t* mask, const PhiloxBlock& block,
                           std::uint32_t threshold, const Masked<computed_t<T>>& masked) {
  Vector<std::uint8_t, kWords> stays;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    stays.lanes[i] = (block.words[i] >> 8) >= threshold ? 1 : 0;
  }
  store_vector(mask, stays);
  store_vector(out, apply_to_lanes<T>(masked, load_lanes<kWords>(x), stays));
}

template <class T>
__device__ void drop(const T* x, const std::uint64_t* state, T* out, std::uint8_t* mask,
                     const Drawn& drawn, std::uint32_t threshold, computed_t<T> factor) {
  const Masked<computed_t<T>> masked{factor};
  const PhiloxStream stream = philox_stream(state, drawn.is_counted, drawn.offset);
  const bool is_aligned = is_vector<kWords>(x) && is_vector<kWords>(out) && is_vector<kWords>(mask);
  const Turns turn = turns();
  const std::int64_t blocks = (drawn.count + kWords - 1) / kWords;
  for (std::int64_t i = turn.first; i < blocks; i += turn.step) {
    const PhiloxBlock block = philox_block(stream, i);
    const std::int64_t first = i * kWords;
    const std::int64_t left = drawn.count - first;
    if (is_aligned && left >= kWords) {
      drop_whole(x + first, out + first, mask + first, block, threshold, masked);
    } else {
      drop_some(x + first, out + first, mask + first,
                static_cast<int>(left < kWords ? left : kWords), block, threshold, masked);
    }
  }
}

}  // namespace

#define LOCI_DROPOUT(dtype, T, ...)                                                       \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                             \
      dropout_##dtype(const T* x, const std::uint64_t* state, T* out, std::uint8_t* mask, \
                      Drawn drawn, std::uint32_t threshold, computed_t<T> factor) {       \
    drop(x, state, out, mask, drawn, threshold, factor);                                  \
  }                                                                                       \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                             \
      dropout_grad_##dtype(const T* out_grad, const std::uint8_t* mask, T* x_grad,        \
                           std::int64_t count, computed_t<T> factor) {                    \
    map_dense(Masked<computed_t<T>>{factor}, x_grad, count, out_grad, mask);              \
  }                                                                                       \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                             \
      keep_##dtype(const T* x, T* out, std::int64_t count, computed_t<T> factor) {        \
    map_dense(Kept<computed_t<T>>{factor}, out, count, x);                                \
  }

LOCI_FLOATS(LOCI_DROPOUT)

}  // namespace loci::cuda
