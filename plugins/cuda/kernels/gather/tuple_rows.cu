// tuple_rows_IDS(ids, rows, tuples): the row of a table that each tuple of positions names.
#include "kernels/device/elements.cuh"
#include "kernels/gather/index_tuples.h"
#include "kernels/gather/row_ids.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {
namespace {

template <class Id>
__device__ void tuple_rows(const Id* ids, std::int64_t* rows, const IndexTuples& tuples) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < tuples.count; i += turn.step) {
    std::int64_t row = i / tuples.of_batch * tuples.rows_of_batch;
    for (int at = 0; at < tuples.length; ++at) {
      row += position_of(ids, i * tuples.length + at, tuples.extents[at], tuples.watch) *
             tuples.steps[at];
    }
    rows[i] = row;
  }
}

}  // namespace

#define LOCI_TUPLE_ROWS(ids_name, Id)                                                  \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) tuple_rows_##ids_name(   \
      const Id* ids, std::int64_t* rows, const __grid_constant__ IndexTuples tuples) { \
    tuple_rows(ids, rows, tuples);                                                     \
  }

LOCI_TUPLE_ROWS(i32, std::int32_t)
LOCI_TUPLE_ROWS(i64, std::int64_t)

}  // namespace loci::cuda
