// out[i] = function(x[i], ...), where nothing is broadcast.
#pragma once

#include "kernels/elementwise/lanes.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

// Where one block has a thread for each element: little to do before the loads, as the whole takes
// little longer than they do.
template <class F, class R, class... T>
__device__ void map_few(const F& function, R* out, std::int64_t count, const T*... in) {
  const unsigned i = threadIdx.x;
  if (blockIdx.x == 0 && i < static_cast<unsigned>(count)) out[i] = apply_to<R>(function, in[i]...);
}

// `out` may be an operand that has its type.
template <class F, class R, class... T>
__device__ void map_dense(const F& function, R* out, std::int64_t count, const T*... in) {
  if (count <= kBlockThreads) return map_few(function, out, count, in...);
  constexpr int kLanes = lanes_of<F, R, T...>();
  const Turns turn = turns();
  std::int64_t done = 0;
  if (is_vector<kLanes>(out) && (is_vector<kLanes>(in) && ...)) {
    done = whole_vectors<kLanes>(count);
    for (std::int64_t i = turn.first * kLanes; i < done; i += turn.step * kLanes) {
      store_vector(out + i, apply_to_lanes<R>(function, load_lanes<kLanes>(in + i)...));
    }
  }
#pragma unroll 1  // which divides before the first round otherwise
  for (std::int64_t i = done + turn.first; i < count; i += turn.step) {
    out[i] = apply_to<R>(function, in[i]...);
  }
}

}  // namespace loci::cuda
