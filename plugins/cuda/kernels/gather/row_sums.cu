// Rows added up by id, the transpose of a gather, in the order of their positions:
// sum_rows_DTYPE(keys, out_grad, out, gather, width) writes the rows that occur.
#include "kernels/device/instances.cuh"
#include "kernels/gather/gather_rows.h"
#include "kernels/gather/row_keys.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {
namespace {

template <class T>
__device__ void sum_rows(const std::uint64_t* keys, const T* out_grad, T* out,
                         const GatherRows& gather, std::int64_t width) {
  const Turns turn = turns();
  const std::int64_t all = gather.tables * gather.count * width;
  for (std::int64_t i = turn.first; i < all; i += turn.step) {
    const std::int64_t place = i / width;
    const std::int64_t table = place / gather.count;
    const std::int64_t first = place - table * gather.count;
    const std::int64_t row = row_of_key(keys[first]);
    if (row == kRowOfNone || row == gather.padding) continue;
    if (first > 0 && row_of_key(keys[first - 1]) == row) continue;
    const std::int64_t column = i - place * width;
    const T* gradients = out_grad + table * gather.count * width + column;
    computed_t<T> sum = 0;
    for (std::int64_t k = first; k < gather.count && row_of_key(keys[k]) == row; ++k) {
      sum += Element<T>::widen(gradients[position_of_key(keys[k]) * width]);
    }
    out[(table * gather.rows + row) * width + column] = Element<T>::narrow(sum);
  }
}

}  // namespace

#define LOCI_SUM_ROWS(dtype, T, ...)                                                            \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                   \
      sum_rows_##dtype(const std::uint64_t* keys, const T* out_grad, T* out, GatherRows gather, \
                       std::int64_t width) {                                                    \
    sum_rows(keys, out_grad, out, gather, width);                                               \
  }

LOCI_FLOATS(LOCI_SUM_ROWS)

}  // namespace loci::cuda
