// Teams of thread_teams.cuh whose folds are straight lines.
#pragma once

#include "kernels/device/thread_teams.cuh"

namespace loci::cuda {

// Folds the states of `kSize` lanes side by side; each gets the result.
template <class Op, int kSize, class State>
__device__ State fold_fixed_lanes(State state) {
#pragma unroll
  for (int step = kSize / 2; step > 0; step /= 2) {
    state = Op::apply(state, exchange(~0U, state, step));
  }
  return state;
}

// Threads side by side, as many as the kernel is made for: a warp or the block.
template <int kThreads>
class FixedTeam {
 public:
  static_assert(kThreads == kWarpThreads || kThreads == kBlockThreads);
  __device__ explicit FixedTeam(int) {}

  static constexpr __device__ int size() { return kThreads; }
  static __device__ int member() { return static_cast<int>(threadIdx.x % kThreads); }
  // Teams of the grid take turns at items.
  static __device__ std::int64_t first_item() {
    return static_cast<std::int64_t>(blockIdx.x) * kTeams + threadIdx.x / kThreads;
  }
  static __device__ std::int64_t item_step() {
    return static_cast<std::int64_t>(gridDim.x) * kTeams;
  }

  // Whatever members wrote before, all of them see afterwards.
  template <class Op, class State>
  __device__ State fold(State state) const {
    state = fold_fixed_lanes<Op, kWarpThreads>(state);
    if constexpr (kThreads == kWarpThreads) {
      __syncwarp();
    } else {
      __shared__ State parts[kBlockWarps];
      if (threadIdx.x % kWarpThreads == 0) parts[threadIdx.x / kWarpThreads] = state;
      __syncthreads();
      state = fold_fixed_lanes<Op, kBlockWarps>(parts[threadIdx.x % kBlockWarps]);
      __syncthreads();  // `parts` is free again
    }
    return state;
  }

  // *value, which one lane of each warp reads.
  template <class T>
  __device__ T read(const T* value) const {
    return __shfl_sync(~0U, threadIdx.x % kWarpThreads == 0 ? *value : T{}, 0);
  }

 private:
  static constexpr int kTeams = static_cast<int>(kBlockThreads) / kThreads;
};

// Some lanes of a warp.
class LaneTeam : public RowTeam {
 public:
  using RowTeam::RowTeam;
  template <class Op, class State>
  __device__ State fold(State state) const {
#pragma unroll
    for (int step = kWarpThreads / 2; step > 0; step /= 2) {
      if (step < size()) state = Op::apply(state, exchange(lanes(), state, step));
    }
    __syncwarp(lanes());
    return state;
  }
};

}  // namespace loci::cuda
