// cast: IN_to_OUT(x, out, count). Of bool there is no IN, which is uint8, and integers become
// others of as many bytes alike.
#include "kernels/device/convert.cuh"
#include "kernels/device/instances.cuh"
#include "kernels/elementwise/dense_map.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {
namespace {

// Elements are told apart, not what they are computed as.
template <class In, class Out>
__device__ void cast_elements(const In* x, Out* out, std::int64_t count) {
  if (count <= kBlockThreads) {  // as map_few()
    const unsigned i = threadIdx.x;
    if (blockIdx.x == 0 && i < static_cast<unsigned>(count)) out[i] = convert<Out>(x[i]);
    return;
  }
  constexpr int kLanes = 16 / larger(sizeof(In), sizeof(Out));
  const Turns turn = turns();
  std::int64_t done = 0;
  if (is_vector<kLanes>(out) && is_vector<kLanes>(x)) {
    done = whole_vectors<kLanes>(count);
    for (std::int64_t i = turn.first * kLanes; i < done; i += turn.step * kLanes) {
      const Vector<In, kLanes> from = load_lanes<kLanes>(x + i);
      Vector<Out, kLanes> to;
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) to.lanes[lane] = convert<Out>(from.lanes[lane]);
      store_vector(out + i, to);
    }
  }
#pragma unroll 1  // which divides before the first round otherwise
  for (std::int64_t i = done + turn.first; i < count; i += turn.step) out[i] = convert<Out>(x[i]);
}

}  // namespace

#define LOCI_CAST(in, In, out_name, Out)                              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)         \
      in##_to_##out_name(const In* x, Out* out, std::int64_t count) { \
    cast_elements(x, out, count);                                     \
  }

// From integers the sign of the result makes no difference.
LOCI_NUMBERS(LOCI_CAST, f32, float)
LOCI_NUMBERS(LOCI_CAST, f64, double)
LOCI_NUMBERS(LOCI_CAST, f16, __half)
LOCI_NUMBERS(LOCI_CAST, bf16, __nv_bfloat16)
LOCI_NUMBERS(LOCI_CAST, bool, bool)
LOCI_NUMBERS(LOCI_CAST, u8, std::uint8_t)
LOCI_NUMBERS(LOCI_CAST, u16, std::uint16_t)
LOCI_NUMBERS(LOCI_CAST, u32, std::uint32_t)
LOCI_NUMBERS(LOCI_CAST, u64, std::uint64_t)
LOCI_FLOATS(LOCI_CAST, i8, std::int8_t)
LOCI_FLOATS(LOCI_CAST, i16, std::int16_t)
LOCI_FLOATS(LOCI_CAST, i32, std::int32_t)
LOCI_FLOATS(LOCI_CAST, i64, std::int64_t)

}  // namespace loci::cuda
