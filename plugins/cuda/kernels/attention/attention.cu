// attention_QUERIES_WIDTH_DTYPE(op): blocks take turns at tiles of QUERIES queries of a head, which
// is as wide as WIDTH or narrower. attention_spans_DTYPE(op) has the results of spans of keys.
#include "kernels/attention/attention.cuh"

#include <type_traits>

#include "kernels/attention/attention_fma.cuh"
#include "kernels/attention/attention_mma.cuh"
#include "kernels/attention/attention_spans.cuh"

namespace loci::cuda {
namespace {

// The products of one warp of a block.
template <class T, int width, int queries>
struct WarpProducts {
  static constexpr int kKeys =
      attention_keys(sizeof(T), width, queries) * queries / (kAttentionRows * kAttentionWarps);
  using Type = std::conditional_t<std::is_same_v<T, float>, FmaAttention<width, kKeys>,
                                  MmaAttention<T, width, kKeys>>;
};

}  // namespace

// `blocks` is how many a multiprocessor shall have registers for.
#define LOCI_ATTENTION(dtype, T, queries, width, blocks)                                       \
  extern "C" __global__ void __launch_bounds__(kBlockThreads, blocks)                          \
      attention_##queries##_##width##_##dtype(const __grid_constant__ AttentionArguments op) { \
    attend<WarpProducts<T, width, queries>::Type, queries / kAttentionRows>(op);               \
  }
#define LOCI_ATTENTION_SPANS(dtype, T)                                         \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                  \
      attention_spans_##dtype(const __grid_constant__ AttentionArguments op) { \
    join_spans<T>(op);                                                         \
  }
#define LOCI_ATTENTION_OF(dtype, T)    \
  LOCI_ATTENTION_SPANS(dtype, T)       \
  LOCI_ATTENTION(dtype, T, 16, 64, 2)  \
  LOCI_ATTENTION(dtype, T, 32, 64, 2)  \
  LOCI_ATTENTION(dtype, T, 64, 64, 2)  \
  LOCI_ATTENTION(dtype, T, 128, 64, 2) \
  LOCI_ATTENTION(dtype, T, 16, 128, 1) \
  LOCI_ATTENTION(dtype, T, 32, 128, 1) \
  LOCI_ATTENTION(dtype, T, 64, 128, 1)

LOCI_ATTENTION_OF(f32, float)
LOCI_ATTENTION_OF(f16, __half)
LOCI_ATTENTION_OF(bf16, __nv_bfloat16)
LOCI_ATTENTION(f16, __half, 128, 128, 1)
LOCI_ATTENTION(bf16, __nv_bfloat16, 128, 128, 1)

}  // namespace loci::cuda
