// Rows added up by id, the transpose of a look-up, in the order of their positions:
// sum_rows_DTYPE(keys, out_grad, out, look_up, width) writes the rows that occur.
#include "kernels/block_threads.h"
#include "kernels/instances.cuh"
#include "kernels/look_up.h"
#include "kernels/row_keys.cuh"

namespace loci::cuda {
namespace {

template <class T>
__device__ void sum_rows(const std::uint64_t* keys, const T* out_grad, T* out,
                         const LookUp& look_up, std::int64_t width) {
  const Turns turn = turns();
  const std::int64_t all = look_up.tables * look_up.count * width;
  for (std::int64_t i = turn.first; i < all; i += turn.step) {
    const std::int64_t place = i / width;
    const std::int64_t table = place / look_up.count;
    const std::int64_t first = place - table * look_up.count;
    const std::int64_t row = row_of_key(keys[first]);
    if (row == look_up.padding || (first > 0 && row_of_key(keys[first - 1]) == row)) continue;
    const std::int64_t column = i - place * width;
    const T* gradients = out_grad + table * look_up.count * width + column;
    computed_t<T> sum = 0;
    for (std::int64_t k = first; k < look_up.count && row_of_key(keys[k]) == row; ++k) {
      sum += Element<T>::widen(gradients[position_of_key(keys[k]) * width]);
    }
    out[(table * look_up.rows + row) * width + column] = Element<T>::narrow(sum);
  }
}

}  // namespace

#define LOCI_SUM_ROWS(dtype, T, ...)                                                              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) sum_rows_##dtype(                   \
      const std::uint64_t* keys, const T* out_grad, T* out, LookUp look_up, std::int64_t width) { \
    sum_rows(keys, out_grad, out, look_up, width);                                                \
  }

LOCI_FLOATS(LOCI_SUM_ROWS)

}  // namespace loci::cuda
