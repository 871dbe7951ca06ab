// A part of a reduction's output, and how a thread goes through it.
#pragma once

#include "kernels/device/element_axes.cuh"
#include "kernels/device/elements.cuh"
#include "kernels/device/fast_divmod.cuh"
#include "kernels/reduce/reduce_layout.h"

namespace loci::cuda {

// The places of an element: in x, of its output, and among the elements of that.
struct Place {
  std::int64_t offset;
  std::int64_t output;
  std::int64_t position;
};

// A part of each of some outputs: the elements at positions [begin, end).
struct Part {
  std::int64_t split;
  std::int64_t begin;
  std::int64_t end;
};

__device__ inline Part part_of(const ReduceLayout& layout, std::int64_t split) {
  const std::int64_t begin = split * layout.chunk;
  const std::int64_t end = begin + layout.chunk;
  return {split, begin, end < layout.count ? end : layout.count};
}

template <class Fold>
__device__ void leave(const Fold& fold, typename Fold::State* partial, const ReduceLayout& layout,
                      std::int64_t split, std::int64_t output, typename Fold::State state) {
  if (layout.splits.value == 1) {
    fold.write(output, state);
  } else {
    partial[split * layout.outputs + output] = state;
  }
}

// Loads of a thread that are under way at once.
inline constexpr int kBatch = 4;

// use(i, load(i)) for i = begin, begin + step, ... in this order.
template <class Load, class Use>
__device__ void in_batches(std::int64_t begin, std::int64_t end, std::int64_t step,
                           const Load& load, const Use& use) {
  decltype(load(begin)) loaded[kBatch];
  std::int64_t i = begin;
  for (; i + (kBatch - 1) * step < end; i += kBatch * step) {
#pragma unroll
    for (int k = 0; k < kBatch; ++k) loaded[k] = load(i + k * step);
#pragma unroll
    for (int k = 0; k < kBatch; ++k) use(i + k * step, loaded[k]);
  }
  if (i >= end) return;
#pragma unroll
  for (int k = 0; k < kBatch - 1; ++k) {
    if (i + k * step < end) loaded[k] = load(i + k * step);
  }
#pragma unroll
  for (int k = 0; k < kBatch - 1; ++k) {
    if (i + k * step < end) use(i + k * step, loaded[k]);
  }
}

// Folds so many states, a power of two.
template <class Fold, int count>
__device__ typename Fold::State fold_pairs(typename Fold::State (&states)[count]) {
#pragma unroll
  for (int step = 1; step < count; step *= 2) {
#pragma unroll
    for (int i = 0; i + step < count; i += 2 * step) {
      states[i] = Fold::apply(states[i], states[i + step]);
    }
  }
  return states[0];
}

}  // namespace loci::cuda
