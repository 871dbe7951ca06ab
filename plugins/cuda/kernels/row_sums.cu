// Rows added up by id, the transpose of a look-up, in the order of their positions.
//   sort_blocks_IDS(ids, keys, count, rows)   keys of ids, sorted in runs of kSortedRun
//   merge_runs(from, to, count, run)          pairs of sorted runs
//   sum_rows_DTYPE(keys, out_grad, out, look_up, width)  adds to the rows that occur
#include "kernels/block_threads.h"
#include "kernels/instances.cuh"
#include "kernels/look_up.h"
#include "kernels/row_ids.cuh"
#include "kernels/sorted_keys.h"

namespace loci::cuda {
namespace {

// A row above, the position among the ids below: no two are equal.
__device__ std::int64_t row_of_key(std::uint64_t key) {
  return static_cast<std::int64_t>(key >> 32);
}
__device__ std::int64_t position_of_key(std::uint64_t key) {
  return static_cast<std::int64_t>(key & 0xFFFFFFFFU);
}

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

// What is not there sorts behind all keys.
template <class Id>
__device__ void sort_blocks(const Id* ids, std::uint64_t* keys, std::int64_t count,
                            std::int64_t rows) {
  __shared__ std::uint64_t run[kSortedRun];
  const std::int64_t runs = (count + kSortedRun - 1) / kSortedRun;
  for (std::int64_t block = blockIdx.x; block < runs; block += gridDim.x) {
    const std::int64_t first = block * kSortedRun;
    for (int i = threadIdx.x; i < kSortedRun; i += kBlockThreads) {
      const std::int64_t at = first + i;
      run[i] = at < count ? static_cast<std::uint64_t>(row_of(ids[at], rows)) << 32 |
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

// How many of a sorted run are below the key.
__device__ std::int64_t rank_in(const std::uint64_t* run, std::int64_t length, std::uint64_t key) {
  std::int64_t low = 0;
  while (length > 0) {
    const std::int64_t half = length / 2;
    if (run[low + half] < key) {
      low += half + 1;
      length -= half + 1;
    } else {
      length = half;
    }
  }
  return low;
}

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

#define LOCI_SORT_BLOCKS(dtype, Id)                                                \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) sort_blocks_##dtype( \
      const Id* ids, std::uint64_t* keys, std::int64_t count, std::int64_t rows) { \
    sort_blocks(ids, keys, count, rows);                                           \
  }
#define LOCI_SUM_ROWS(dtype, T, ...)                                                              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) sum_rows_##dtype(                   \
      const std::uint64_t* keys, const T* out_grad, T* out, LookUp look_up, std::int64_t width) { \
    sum_rows(keys, out_grad, out, look_up, width);                                                \
  }

LOCI_SORT_BLOCKS(i32, std::int32_t)
LOCI_SORT_BLOCKS(i64, std::int64_t)
LOCI_FLOATS(LOCI_SUM_ROWS)

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
