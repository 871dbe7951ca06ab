// Threads of a block that work on one vector together, and fold what each of them has.
//
// An operation is a type with `static State apply(State, State)`, in any order of its operands.
// The order of a fold depends on nothing but the team's size.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/launch/block_threads.h"

namespace loci::cuda {

inline constexpr int kWarpThreads = 32;
inline constexpr int kBlockWarps = kBlockThreads / kWarpThreads;

// That of the lane whose number differs in the bits of `step`.
template <class State>
__device__ State exchange(std::uint32_t lanes, State state, int step) {
  if constexpr (std::is_arithmetic_v<State>) {
    return __shfl_xor_sync(lanes, state, step);
  } else {
    static_assert(sizeof(State) % 4 == 0);
    std::uint32_t words[sizeof(State) / 4];
    std::memcpy(words, &state, sizeof state);
#pragma unroll
    for (std::uint32_t& word : words) word = __shfl_xor_sync(lanes, word, step);
    std::memcpy(&state, words, sizeof state);
    return state;
  }
}

// Folds the states of `size` lanes side by side, a power of two; each gets the result.
template <class Op, class State>
__device__ State fold_lanes(std::uint32_t lanes, State state, int size) {
#pragma unroll 1
  for (int step = size / 2; step > 0; step /= 2) {
    state = Op::apply(state, exchange(lanes, state, step));
  }
  return state;
}

// Folds the states of all threads of a block; each gets the result.
template <class Op, class State>
__device__ State fold_block(State state) {
  __shared__ State parts[kBlockWarps];
  state = fold_lanes<Op>(~0U, state, kWarpThreads);
  if (threadIdx.x % kWarpThreads == 0) parts[threadIdx.x / kWarpThreads] = state;
  __syncthreads();
  state = fold_lanes<Op>(~0U, parts[threadIdx.x % kBlockWarps], kBlockWarps);
  __syncthreads();  // `parts` is free again
  return state;
}

// Threads side by side, for elements that lie so: 1 to 32 of a warp, a power of two, or the block.
class RowTeam {
 public:
  __device__ explicit RowTeam(int size)
      : size_(size),
        member_(static_cast<int>(threadIdx.x) % size),
        lanes_(size < kWarpThreads
                   ? ((1U << size) - 1) << (threadIdx.x % kWarpThreads / size * size)
                   : ~0U) {}

  __device__ int size() const { return size_; }
  __device__ int member() const { return member_; }
  // Teams of the grid take turns at items.
  __device__ std::int64_t first_item() const {
    return static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / size_) + threadIdx.x / size_;
  }
  __device__ std::int64_t item_step() const {
    return static_cast<std::int64_t>(gridDim.x) * (blockDim.x / size_);
  }

  // Whatever members wrote before, all of them see afterwards.
  template <class Op, class State>
  __device__ State fold(State state) const {
    if (size_ > kWarpThreads) return fold_block<Op>(state);
    state = fold_lanes<Op>(lanes_, state, size_);
    __syncwarp(lanes_);
    return state;
  }
  __device__ std::uint32_t lanes() const { return lanes_; }

  // *value, which one lane reads for those of its warp that are in the team.
  template <class T>
  __device__ T read(const T* value) const {
    const int width = size_ < kWarpThreads ? size_ : kWarpThreads;
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    const int first = lane / width * width;
    return __shfl_sync(lanes_, lane == first ? *value : T{}, first);
  }

 private:
  int size_;
  int member_;
  std::uint32_t lanes_;
};

// `width` teams, a power of two, for vectors that lie side by side: threads side by side belong to
// neighbouring vectors. All threads of the block fold at once.
class ColumnTeam {
 public:
  __device__ explicit ColumnTeam(int width)
      : width_(width),
        size_(static_cast<int>(kBlockThreads) / width),
        column_(static_cast<int>(threadIdx.x) % width),
        member_(static_cast<int>(threadIdx.x) / width) {}

  __device__ int size() const { return size_; }
  __device__ int member() const { return member_; }
  __device__ int column() const { return column_; }

  template <class Op, class State>
  __device__ State fold(State state) const {
    __shared__ State parts[kBlockThreads];
    if (size_ == 1) return state;
    parts[threadIdx.x] = state;
    __syncthreads();
#pragma unroll 1
    for (int half = size_ / 2; half > 0; half /= 2) {
      if (member_ < half) {
        state = Op::apply(state, parts[threadIdx.x + half * width_]);
        parts[threadIdx.x] = state;
      }
      __syncthreads();
    }
    state = parts[column_];
    __syncthreads();  // `parts` is free again
    return state;
  }

 private:
  int width_;
  int size_;
  int column_;
  int member_;
};

}  // namespace loci::cuda
