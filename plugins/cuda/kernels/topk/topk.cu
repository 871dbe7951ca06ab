// The first elements of lines in their order, or all.
//   topk_runs_DTYPE(x, entries, layout)          runs of elements, sorted, the first of each
//   topk_narrow_ENTRY(from, to, layout)          the same of runs of entries
//   topk_merge_ENTRY(from, to, lines, count, run)    pairs of sorted runs, of lines of entries
//   topk_take_DTYPE(x, entries, values, indices, layout)
#include "kernels/device/instances.cuh"
#include "kernels/launch/block_threads.h"
#include "kernels/topk/order_entry.cuh"
#include "kernels/topk/topk_layout.h"

namespace loci::cuda {
namespace {

// Bitonic: pairs at each distance of each length, with a barrier between.
template <class Entry>
__device__ void sort_run(Entry* entries, int run) {
  for (int length = 2; length <= run; length *= 2) {
    for (int distance = length / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (int pair = threadIdx.x; pair < run / 2; pair += kBlockThreads) {
        const int low = pair / distance * 2 * distance + pair % distance;
        const bool rises = (low & length) == 0;
        const Entry x = entries[low];
        const Entry y = entries[low + distance];
        if ((y < x) == rises) {
          entries[low] = y;
          entries[low + distance] = x;
        }
      }
    }
  }
  __syncthreads();
}

// load(line, i) gives the i-th entry of a line. Where a run has none is what sorts behind all.
template <class Entry, class Load>
__device__ void sort_runs(Entry* to, const TopKLayout& layout, const Load& load) {
  __shared__ Entry entries[kRunBytes / sizeof(Entry)];
  for (std::int64_t item = blockIdx.x; item < layout.lines * layout.runs; item += gridDim.x) {
    const std::int64_t line = item / layout.runs;
    const std::int64_t first = (item - line * layout.runs) * layout.run;
    for (std::int64_t i = threadIdx.x; i < layout.run; i += kBlockThreads) {
      entries[i] = first + i < layout.count ? load(line, first + i) : Entry::none();
    }
    sort_run(entries, static_cast<int>(layout.run));
    for (std::int64_t i = threadIdx.x; i < layout.kept; i += kBlockThreads) {
      to[item * layout.kept + i] = entries[i];
    }
    __syncthreads();  // `entries` is free again
  }
}

template <class T>
__device__ void sort_elements(const T* x, entry_t<T>* to, const TopKLayout& layout) {
  sort_runs(to, layout, [&](std::int64_t line, std::int64_t i) {
    const std::int64_t outer = line / layout.inner;
    const std::int64_t column = line - outer * layout.inner;
    return entry_of(x[(outer * layout.count + i) * layout.inner + column], i,
                    layout.is_largest != 0);
  });
}

template <class Entry>
__device__ void narrow(const Entry* from, Entry* to, const TopKLayout& layout) {
  sort_runs(to, layout,
            [&](std::int64_t line, std::int64_t i) { return from[line * layout.count + i]; });
}

// How many of a sorted run are below the entry.
template <class Entry>
__device__ std::int64_t rank_in(const Entry* run, std::int64_t length, const Entry& entry) {
  std::int64_t low = 0;
  while (length > 0) {
    const std::int64_t half = length / 2;
    const bool is_below = run[low + half] < entry;
    low = is_below ? low + half + 1 : low;
    length = is_below ? length - half - 1 : half;
  }
  return low;
}

template <class Entry>
__device__ void merge(const Entry* from, Entry* to, std::int64_t lines, std::int64_t count,
                      std::int64_t run) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < lines * count; i += turn.step) {
    const std::int64_t line = i / count * count;
    const std::int64_t own = (i - line) / run * run;
    const std::int64_t pair = own / (2 * run) * (2 * run);
    const std::int64_t other = own == pair ? own + run : pair;
    const std::int64_t left = count - other;
    const std::int64_t length = left < 0 ? 0 : left < run ? left : run;
    const std::int64_t before = rank_in(from + line + other, length, from[i]);
    to[line + pair + (i - line - own) + before] = from[i];
  }
}

template <class T>
__device__ void take(const T* x, const entry_t<T>* entries, T* values, std::int64_t* indices,
                     const TakenLayout& layout) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < layout.taken; i += turn.step) {
    const std::int64_t row = i / layout.inner;
    const std::int64_t column = i - row * layout.inner;
    const std::int64_t outer = row / layout.k;
    const std::int64_t line = outer * layout.inner + column;
    const std::int64_t index = entries[line * layout.entries + row - outer * layout.k].index();
    values[i] = x[(outer * layout.count + index) * layout.inner + column];
    indices[i] = index;
  }
}

}  // namespace

#define LOCI_TOPK(dtype, T, ...)                                                                 \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      topk_runs_##dtype(const T* x, entry_t<T>* to, const __grid_constant__ TopKLayout layout) { \
    sort_elements(x, to, layout);                                                                \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      topk_take_##dtype(const T* x, const entry_t<T>* entries, T* values, std::int64_t* indices, \
                        const __grid_constant__ TakenLayout layout) {                            \
    take(x, entries, values, indices, layout);                                                   \
  }

#define LOCI_TOPK_ENTRIES(name, Entry)                                                          \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) topk_narrow_##name(               \
      const Entry* from, Entry* to, const __grid_constant__ TopKLayout layout) {                \
    narrow(from, to, layout);                                                                   \
  }                                                                                             \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) topk_merge_##name(                \
      const Entry* from, Entry* to, std::int64_t lines, std::int64_t count, std::int64_t run) { \
    merge(from, to, lines, count, run);                                                         \
  }

LOCI_NUMBERS(LOCI_TOPK)
LOCI_TOPK_ENTRIES(short, ShortEntry)
LOCI_TOPK_ENTRIES(wide, WideEntry)

}  // namespace loci::cuda
