// Rows of updates written to the rows of a table that sorted keys name, in the order of their
// positions, so that no result hangs on the order in which a device does its work.
//   replace_rows_DTYPE(keys, updates, out, scatter)            the last update of each row
//   reduce_rows_DTYPE(keys, updates, out, scatter, reduction)  all, into what is there
//   kept_rows_DTYPE(keys, out_grad, updates_grad, scatter)     the rows of those that are last;
//                                                              zeros for the others
#include "kernels/device/instances.cuh"
#include "kernels/elementwise/binary_functions.cuh"
#include "kernels/gather/row_keys.cuh"
#include "kernels/gather/scatter_rows.h"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {
namespace {

// Calls visit(key, column) for all elements of the updates, by place among the keys.
template <class Visit>
__device__ void for_places(const ScatterRows& scatter, const Visit& visit) {
  const Turns turn = turns();
  const std::int64_t all = scatter.count * scatter.width;
  for (std::int64_t i = turn.first; i < all; i += turn.step) {
    const std::int64_t place = scatter.width == 1 ? i : i / scatter.width;
    visit(place, i - place * scatter.width);
  }
}

__device__ bool is_last(const std::uint64_t* keys, std::int64_t place, std::int64_t count) {
  return place + 1 == count || row_of_key(keys[place + 1]) != row_of_key(keys[place]);
}

__device__ bool is_first(const std::uint64_t* keys, std::int64_t place) {
  return place == 0 || row_of_key(keys[place - 1]) != row_of_key(keys[place]);
}

template <class T>
__device__ void replace_rows(const std::uint64_t* keys, const T* updates, T* out,
                             const ScatterRows& scatter) {
  for_places(scatter, [&](std::int64_t place, std::int64_t column) {
    if (!is_last(keys, place, scatter.count)) return;
    const std::uint64_t key = keys[place];
    out[row_of_key(key) * scatter.width + column] =
        updates[position_of_key(key) * scatter.width + column];
  });
}

template <class T>
__device__ void kept_rows(const std::uint64_t* keys, const T* out_grad, T* updates_grad,
                          const ScatterRows& scatter) {
  for_places(scatter, [&](std::int64_t place, std::int64_t column) {
    const std::uint64_t key = keys[place];
    updates_grad[position_of_key(key) * scatter.width + column] =
        is_last(keys, place, scatter.count) ? out_grad[row_of_key(key) * scatter.width + column]
                                            : T{0};
  });
}

template <class C>
__device__ C reduced(Reduction reduction, C there, C update) {
  switch (reduction) {
    case Reduction::kAdd: return Add::value(there, update);
    case Reduction::kMul: return Mul::value(there, update);
    case Reduction::kMax: return Max::value(there, update);
    default: return Min::value(there, update);
  }
}

template <class T>
__device__ void reduce_rows(const std::uint64_t* keys, const T* updates, T* out,
                            const ScatterRows& scatter, Reduction reduction) {
  for_places(scatter, [&](std::int64_t first, std::int64_t column) {
    if (!is_first(keys, first)) return;
    const std::int64_t row = row_of_key(keys[first]);
    T* const target = out + row * scatter.width + column;
    computed_t<T> value = Element<T>::widen(*target);
    for (std::int64_t k = first; k < scatter.count && row_of_key(keys[k]) == row; ++k) {
      const T update = updates[position_of_key(keys[k]) * scatter.width + column];
      value = reduced(reduction, value, Element<T>::widen(update));
    }
    *target = Element<T>::narrow(value);
  });
}

}  // namespace

#define LOCI_REPLACE_ROWS(dtype, T, ...)                                                    \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) replace_rows_##dtype(         \
      const std::uint64_t* keys, const T* updates, T* out, ScatterRows scatter) {           \
    replace_rows(keys, updates, out, scatter);                                              \
  }                                                                                         \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) kept_rows_##dtype(            \
      const std::uint64_t* keys, const T* out_grad, T* updates_grad, ScatterRows scatter) { \
    kept_rows(keys, out_grad, updates_grad, scatter);                                       \
  }
#define LOCI_REDUCE_ROWS(dtype, T, ...)                                        \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                  \
      reduce_rows_##dtype(const std::uint64_t* keys, const T* updates, T* out, \
                          ScatterRows scatter, Reduction reduction) {          \
    reduce_rows(keys, updates, out, scatter, reduction);                       \
  }

LOCI_UNSIGNED(LOCI_REPLACE_ROWS)
LOCI_NUMBERS(LOCI_REDUCE_ROWS)

}  // namespace loci::cuda
