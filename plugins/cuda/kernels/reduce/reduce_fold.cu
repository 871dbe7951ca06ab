// Extremes and products: kernels as reduce.cuh says. `same` counts what an extreme is, for
// extreme_grad_DTYPE(x, out, out_grad, counts, x_grad, count, axes), where `axes` has the steps in
// the outputs. prod_grad_DTYPE(x, out_grad, before, x_grad, layout): `before` is of what the
// elements are computed in, and may be x_grad.
#include "kernels/launch/block_threads.h"
#include "kernels/reduce/reduce_folds.cuh"

namespace loci::cuda {
namespace {

template <class T>
__device__ void extreme_grad(const T* x, const T* out, const T* out_grad,
                             const std::int64_t* counts, T* x_grad, std::int64_t count,
                             const ElementAxes& axes) {
  using C = computed_t<T>;
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < count; i += turn.step) {
    const std::int64_t from = offset_of(axes, i);
    C share = 0;
    if (is_same(Element<T>::widen(x[i]), Element<T>::widen(out[from]))) {
      share = Element<T>::widen(out_grad[from]) / static_cast<C>(counts[from]);
    }
    x_grad[i] = Element<T>::narrow(share);
  }
}

// The product of what the lanes of a team before this one have, or after it; and of all.
template <class C>
struct Products {
  C beside;
  C all;
};

template <bool after, class C>
__device__ C shift(std::uint32_t lanes, C value, int step, int size) {
  return after ? __shfl_down_sync(lanes, value, step, size)
               : __shfl_up_sync(lanes, value, step, size);
}

template <bool after, class C>
__device__ Products<C> products(const RowTeam& team, C value) {
  const int rank = after ? team.size() - 1 - team.member() : team.member();
#pragma unroll 1
  for (int step = 1; step < team.size(); step *= 2) {
    const C other = shift<after>(team.lanes(), value, step, team.size());
    if (rank >= step) value *= other;
  }
  const C beside = shift<after>(team.lanes(), value, 1, team.size());
  const C all = __shfl_sync(team.lanes(), value, after ? 0 : team.size() - 1, team.size());
  return {rank == 0 ? C{1} : beside, all};
}

// The product of all elements but one is that of those before it times that of those after it. The
// same thread has the same element both times.
template <class T>
__device__ void prod_grad(const T* x, const T* out_grad, computed_t<T>* before, T* x_grad,
                          const ReduceLayout& layout) {
  using C = computed_t<T>;
  const RowTeam team(layout.width);
  for (std::int64_t output = team.first_item(); output < layout.outputs;
       output += team.item_step()) {
    const std::int64_t base = offset_of(layout.kept, output);
    const std::int64_t tiles = (layout.count + team.size() - 1) / team.size();
    const auto run = [&](std::int64_t tile, auto direction, C carried) {
      constexpr bool kAfter = decltype(direction)::value;
      const std::int64_t i = tile * team.size() + team.member();
      const bool is_there = i < layout.count;
      const std::int64_t at = is_there ? base + offset_of(layout.reduced, i) : 0;
      const auto found = products<kAfter>(team, is_there ? Element<T>::widen(x[at]) : C{1});
      if (is_there) {
        const C product = carried * found.beside;
        if constexpr (kAfter) {
          x_grad[at] = Element<T>::narrow(before[at] * product);
        } else {
          before[at] = product;
        }
      }
      return carried * found.all;
    };
    C carried = 1;
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      carried = run(tile, std::false_type(), carried);
    }
    carried = Element<T>::widen(out_grad[output]);
    for (std::int64_t tile = tiles; tile-- > 0;) carried = run(tile, std::true_type(), carried);
  }
}

}  // namespace

#define LOCI_REDUCE_GRADS(dtype, T)                                                       \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) extreme_grad_##dtype(       \
      const T* x, const T* out, const T* out_grad, const std::int64_t* counts, T* x_grad, \
      std::int64_t count, const __grid_constant__ ElementAxes axes) {                     \
    extreme_grad(x, out, out_grad, counts, x_grad, count, axes);                          \
  }                                                                                       \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                             \
      prod_grad_##dtype(const T* x, const T* out_grad, computed_t<T>* before, T* x_grad,  \
                        const __grid_constant__ ReduceLayout layout) {                    \
    prod_grad(x, out_grad, before, x_grad, layout);                                       \
  }

LOCI_REDUCE_NUMBERS(max, MaxFold)
LOCI_REDUCE_NUMBERS(min, MinFold)
LOCI_REDUCE_BITS(prod, ProductFold)
LOCI_REDUCE_FLOATS(same, SameFold)
LOCI_REDUCE_GRADS(f32, float)
LOCI_REDUCE_GRADS(f64, double)
LOCI_REDUCE_GRADS(f16, __half)
LOCI_REDUCE_GRADS(bf16, __nv_bfloat16)

}  // namespace loci::cuda
