// out[i] = function(x[i], ...), where nothing is broadcast.
#pragma once

#include "kernels/lanes.cuh"

namespace loci::cuda {

// `out` may be an operand that has its type.
template <class F, class R, class... T>
__device__ void map_dense(const F& function, R* out, std::int64_t count, const T*... in) {
  constexpr int kLanes = lanes_of<F, R, T...>();
  const Turns turn = turns();
  std::int64_t done = 0;
  if (is_vector<kLanes>(out) && (is_vector<kLanes>(in) && ...)) {
    done = count - count % kLanes;
    for (std::int64_t i = turn.first * kLanes; i < done; i += turn.step * kLanes) {
      store_vector(out + i, apply_to_lanes<R>(function, load_lanes<kLanes>(in + i)...));
    }
  }
  for (std::int64_t i = done + turn.first; i < count; i += turn.step) {
    out[i] = apply_to<R>(function, in[i]...);
  }
}

}  // namespace loci::cuda
