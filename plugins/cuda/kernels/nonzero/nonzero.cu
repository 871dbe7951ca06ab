// The positions of elements that are not zero, in their order.
//   count_nonzero_DTYPE(x, counts, layout)         of each chunk
//   sum_chunks(counts, chunks, total)              where each chunk begins, in place
//   write_nonzero_DTYPE(x, starts, out, layout)    positions, a row each
#include "kernels/device/fast_divmod.cuh"
#include "kernels/device/instances.cuh"
#include "kernels/device/thread_teams.cuh"
#include "kernels/nonzero/nonzero_layout.h"

namespace loci::cuda {
namespace {

struct Add {
  template <class State>
  static __device__ State apply(State x, State y) {
    return x + y;
  }
};

struct Chunk {
  std::int64_t begin;
  std::int64_t end;
};

__device__ Chunk chunk_of(const NonzeroLayout& layout, std::int64_t chunk) {
  const std::int64_t begin = chunk * kNonzeroChunk;
  const std::int64_t end = begin + kNonzeroChunk;
  return {begin, end < layout.count ? end : layout.count};
}

template <class T>
__device__ bool counts(T value) {
  return Element<T>::widen(value) != 0;
}

template <class T>
__device__ void count_chunks(const T* x, std::int64_t* out, const NonzeroLayout& layout) {
  for (std::int64_t chunk = blockIdx.x; chunk < layout.chunks; chunk += gridDim.x) {
    const Chunk range = chunk_of(layout, chunk);
    std::int32_t found = 0;
    for (std::int64_t i = range.begin + threadIdx.x; i < range.end; i += kBlockThreads) {
      found += counts(x[i]) ? 1 : 0;
    }
    found = fold_block<Add>(found);
    if (threadIdx.x == 0) out[chunk] = found;
  }
}

// A thread's sums among those of its block: what the ones before it have, and what all have.
struct BlockSum {
  std::int64_t before;
  std::int64_t total;
};

__device__ BlockSum sum_in_block(std::int64_t value) {
  __shared__ std::int64_t sums[kBlockThreads];
  sums[threadIdx.x] = value;
  __syncthreads();
#pragma unroll 1
  for (unsigned step = 1; step < kBlockThreads; step *= 2) {
    const std::int64_t added = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
    __syncthreads();
    sums[threadIdx.x] += added;
    __syncthreads();
  }
  const BlockSum result{sums[threadIdx.x] - value, sums[kBlockThreads - 1]};
  __syncthreads();  // `sums` is free again
  return result;
}

__device__ BlockSum votes_in_block(bool vote) {
  __shared__ int of_warp[kBlockWarps];
  const unsigned lane = threadIdx.x % kWarpThreads;
  const int warp = static_cast<int>(threadIdx.x) / kWarpThreads;
  const unsigned votes = __ballot_sync(~0U, vote);
  if (lane == 0) of_warp[warp] = __popc(votes);
  __syncthreads();
  BlockSum result{__popc(votes & ((1U << lane) - 1)), 0};
#pragma unroll
  for (int i = 0; i < kBlockWarps; ++i) {
    if (i < warp) result.before += of_warp[i];
    result.total += of_warp[i];
  }
  __syncthreads();  // `of_warp` is free again
  return result;
}

__device__ void write_position(std::int64_t* out, std::int64_t element,
                               const NonzeroLayout& layout) {
  for (int axis = layout.rank - 1; axis >= 0; --axis) {
    const std::int64_t outer = quotient(element, layout.extents[axis]);
    out[axis] = element - outer * layout.extents[axis].value;
    element = outer;
  }
}

template <class T>
__device__ void write_chunks(const T* x, const std::int64_t* starts, std::int64_t* out,
                             const NonzeroLayout& layout) {
  for (std::int64_t chunk = blockIdx.x; chunk < layout.chunks; chunk += gridDim.x) {
    const Chunk range = chunk_of(layout, chunk);
    std::int64_t row = starts[chunk];
    // All threads of the block, the last ones maybe without an element, vote together.
    for (std::int64_t first = range.begin; first < range.end; first += kBlockThreads) {
      const std::int64_t i = first + threadIdx.x;
      const bool is_found = i < range.end && counts(x[i]);
      const BlockSum found = votes_in_block(is_found);
      if (is_found) write_position(out + (row + found.before) * layout.rank, i, layout);
      row += found.total;
    }
  }
}

}  // namespace

// One block runs this.
extern "C" __global__ void __launch_bounds__(kBlockThreads)
    sum_chunks(std::int64_t* counts, std::int64_t chunks, std::int64_t* total) {
  std::int64_t sum = 0;
  for (std::int64_t first = 0; first < chunks; first += kBlockThreads) {
    const std::int64_t chunk = first + threadIdx.x;
    const BlockSum sums = sum_in_block(chunk < chunks ? counts[chunk] : 0);
    if (chunk < chunks) counts[chunk] = sum + sums.before;
    sum += sums.total;
  }
  if (threadIdx.x == 0) *total = sum;
}

#define LOCI_NONZERO(dtype, T, ...)                                                     \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) count_nonzero_##dtype(    \
      const T* x, std::int64_t* counts, const __grid_constant__ NonzeroLayout layout) { \
    count_chunks(x, counts, layout);                                                    \
  }                                                                                     \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                           \
      write_nonzero_##dtype(const T* x, const std::int64_t* starts, std::int64_t* out,  \
                            const __grid_constant__ NonzeroLayout layout) {             \
    write_chunks(x, starts, out, layout);                                               \
  }

LOCI_BITS(LOCI_NONZERO)

}  // namespace loci::cuda
