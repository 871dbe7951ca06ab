// Keys of rows that ids name, sorted.
//   sort_blocks_IDS(ids, keys, count, rows, names, watch)   keys of ids, sorted in runs of
//                                                           kSortedRun
//   merge_runs(from, to, count, run)                        pairs of sorted runs
#include "kernels/device/elements.cuh"
#include "kernels/gather/row_ids.cuh"
#include "kernels/gather/row_keys.cuh"
#include "kernels/gather/sorted_keys.h"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {
namespace {

// Bitonic: pairs at each distance of each length, with a barrier between.
__device__ void sort_run(std::uint64_t* keys) {
  for (int length = 2; length <= kSortedRun; length *= 2) {
    for (int distance = length / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (int pair = threadIdx.x; pair < kSortedRun / 2; pair += kBlockThreads) {
        const int low = pair / distance * 2 * distance + pair % distance;
        const bool rises = (low & length) == 0;
        const std::uint64_t x = keys[low];
        const std::uint64_t y = keys[low + distance];
        if ((x > y) == rises) {
          keys[low] = y;
          keys[low + distance] = x;
        }
      }
    }
  }
  __syncthreads();
}

// Positions behind the end sort behind all keys.
template <class Id>
__device__ void sort_blocks(const Id* ids, std::uint64_t* keys, std::int64_t count,
                            std::int64_t rows, RowNames names, const IndexWatch& watch) {
  __shared__ std::uint64_t run[kSortedRun];
  const std::int64_t runs = (count + kSortedRun - 1) / kSortedRun;
  for (std::int64_t block = blockIdx.x; block < runs; block += gridDim.x) {
    const std::int64_t first = block * kSortedRun;
    for (int i = threadIdx.x; i < kSortedRun; i += kBlockThreads) {
      const std::int64_t at = first + i;
      run[i] = at < count ? static_cast<std::uint64_t>(row_of(ids, at, rows, names, watch)) << 32 |
                                static_cast<std::uint64_t>(at)
                          : ~std::uint64_t{0};
    }
    sort_run(run);
    for (int i = threadIdx.x; i < kSortedRun; i += kBlockThreads) {
      if (first + i < count) keys[first + i] = run[i];
    }
    __syncthreads();
  }
}

}  // namespace

#define LOCI_SORT_BLOCKS(dtype, Id)                                               \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                     \
      sort_blocks_##dtype(const Id* ids, std::uint64_t* keys, std::int64_t count, \
                          std::int64_t rows, RowNames names, IndexWatch watch) {  \
    sort_blocks(ids, keys, count, rows, names, watch);                            \
  }

LOCI_SORT_BLOCKS(i32, std::int32_t)
LOCI_SORT_BLOCKS(i64, std::int64_t)

extern "C" __global__ void __launch_bounds__(kBlockThreads)
    merge_runs(const std::uint64_t* from, std::uint64_t* to, std::int64_t count, std::int64_t run) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < count; i += turn.step) {
    const std::int64_t own = i / run * run;
    const std::int64_t pair = own / (2 * run) * (2 * run);
    const std::int64_t other = own == pair ? own + run : pair;
    const std::int64_t left = count - other;
    const std::int64_t length = left < 0 ? 0 : left < run ? left : run;
    to[pair + (i - own) + rank_in(from + other, length, from[i])] = from[i];
  }
}

}  // namespace loci::cuda
