// Running sums and products. The order hangs on the shape alone.
//   OP_row_totals_DTYPE(x, totals, layout)      of each chunk, whose elements lie side by side
//   OP_column_totals_DTYPE(x, totals, layout)   of each chunk, whose neighbours belong to others
//   OP_starts_DTYPE(totals, layout)             what lies before each chunk, in place
//   OP_rows_DTYPE(x, starts, out, layout)       the result, a block for each chunk
//   OP_columns_DTYPE(x, starts, out, layout)    the result, a thread for each chunk
#include "kernels/cumulative/cumulative_layout.h"
#include "kernels/device/instances.cuh"
#include "kernels/device/sum_type.cuh"
#include "kernels/device/thread_teams.cuh"

namespace loci::cuda {
namespace {

struct Add {
  static constexpr int kNeutral = 0;
  template <class State>
  static __device__ State apply(State x, State y) {
    return x + y;
  }
};

struct Multiply {
  static constexpr int kNeutral = 1;
  template <class State>
  static __device__ State apply(State x, State y) {
    return x * y;
  }
};

constexpr int kRunItems = 4;  // of a thread, side by side

template <class Op, class T>
struct Cumulate {
  using State = sum_t<T>;

  static __device__ State neutral() { return static_cast<State>(Op::kNeutral); }
  static __device__ State load(T value) { return static_cast<State>(Element<T>::widen(value)); }
  static __device__ T finish(State state) {
    return Element<T>::narrow(static_cast<computed_t<T>>(state));
  }

  // Positions of a chunk, from the end of the line on if the run is reverse.
  struct Chunk {
    __device__ Chunk(const CumulativeLayout& layout, std::int64_t chunk)
        : begin(chunk * layout.chunk), end(begin + layout.chunk) {
      if (end > layout.count) end = layout.count;
    }
    std::int64_t begin;
    std::int64_t end;
  };

  static __device__ std::int64_t place(const CumulativeLayout& layout, std::int64_t position) {
    return (layout.is_reverse != 0 ? layout.count - 1 - position : position) * layout.inner;
  }

  static __device__ State start(const State* starts, const CumulativeLayout& layout,
                                std::int64_t item) {
    return layout.chunks > 1 ? starts[item] : neutral();
  }

  // A thread gets what the ones before it in its block have, and what all have.
  struct BlockRun {
    State before;
    State total;
  };

  static __device__ BlockRun run_in_block(State state) {
    __shared__ State of_warp[kBlockWarps];
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    const int warp = static_cast<int>(threadIdx.x) / kWarpThreads;
#pragma unroll
    for (int step = 1; step < kWarpThreads; step *= 2) {
      const State before = __shfl_up_sync(~0U, state, step);
      if (lane >= step) state = Op::apply(before, state);
    }
    if (lane == kWarpThreads - 1) of_warp[warp] = state;
    const State lanes_before = __shfl_up_sync(~0U, state, 1);
    __syncthreads();
    BlockRun run{neutral(), neutral()};
    for (int i = 0; i < kBlockWarps; ++i) {
      if (i == warp) run.before = run.total;
      run.total = Op::apply(run.total, of_warp[i]);
    }
    if (lane > 0) run.before = Op::apply(run.before, lanes_before);
    __syncthreads();  // `of_warp` is free again
    return run;
  }

  static __device__ void row_totals(const T* x, State* totals, const CumulativeLayout& layout) {
    for (std::int64_t item = blockIdx.x; item < layout.outer * layout.chunks; item += gridDim.x) {
      const std::int64_t line = item / layout.chunks;
      const Chunk chunk(layout, item - line * layout.chunks);
      State total = neutral();
      for (std::int64_t i = chunk.begin + threadIdx.x; i < chunk.end; i += kBlockThreads) {
        total = Op::apply(total, load(x[line * layout.count + place(layout, i)]));
      }
      total = fold_block<Op>(total);
      if (threadIdx.x == 0) totals[item] = total;
    }
  }

  static __device__ void rows(const T* x, const State* starts, T* out,
                              const CumulativeLayout& layout) {
    for (std::int64_t item = blockIdx.x; item < layout.outer * layout.chunks; item += gridDim.x) {
      const std::int64_t line = item / layout.chunks;
      const Chunk chunk(layout, item - line * layout.chunks);
      State before = start(starts, layout, item);
      const std::int64_t base = line * layout.count;
      for (std::int64_t i = chunk.begin; i < chunk.end; i += kBlockThreads * kRunItems) {
        before = run_tile(x + base, out + base, i, chunk.end, before, layout);
      }
    }
  }

  // Gives what lies before the next tile.
  static __device__ State run_tile(const T* x, T* out, std::int64_t begin, std::int64_t end,
                                   State before, const CumulativeLayout& layout) {
    const std::int64_t first = begin + static_cast<std::int64_t>(threadIdx.x) * kRunItems;
    State own[kRunItems];
#pragma unroll
    for (int i = 0; i < kRunItems; ++i) {
      own[i] = first + i < end ? load(x[place(layout, first + i)]) : neutral();
      if (i > 0) own[i] = Op::apply(own[i - 1], own[i]);
    }
    const BlockRun run = run_in_block(own[kRunItems - 1]);
    State state = Op::apply(before, run.before);
    const State base = state;
#pragma unroll
    for (int i = 0; i < kRunItems; ++i) {
      const State next = Op::apply(base, own[i]);
      if (first + i < end) {
        out[place(layout, first + i)] = finish(layout.is_exclusive != 0 ? state : next);
      }
      state = next;
    }
    return Op::apply(before, run.total);
  }

  // Calls visit(item, chunk, offset) for each chunk of a thread, whose lines begin at the offsets.
  template <class Visit>
  static __device__ void each_column(const CumulativeLayout& layout, const Visit& visit) {
    const std::int64_t items = layout.outer * layout.chunks * layout.inner;
    const Turns turn = turns();
    for (std::int64_t item = turn.first; item < items; item += turn.step) {
      const std::int64_t row = item / layout.inner;
      const std::int64_t outer = row / layout.chunks;
      visit(item, Chunk(layout, row - outer * layout.chunks),
            outer * layout.count * layout.inner + item - row * layout.inner);
    }
  }

  static __device__ void column_totals(const T* x, State* totals, const CumulativeLayout& layout) {
    each_column(layout, [&](std::int64_t item, const Chunk& chunk, std::int64_t offset) {
      State total = neutral();
      for (std::int64_t i = chunk.begin; i < chunk.end; ++i) {
        total = Op::apply(total, load(x[offset + place(layout, i)]));
      }
      totals[item] = total;
    });
  }

  static __device__ void columns(const T* x, const State* starts, T* out,
                                 const CumulativeLayout& layout) {
    each_column(layout, [&](std::int64_t item, const Chunk& chunk, std::int64_t offset) {
      State state = start(starts, layout, item);
      for (std::int64_t i = chunk.begin; i < chunk.end; ++i) {
        const std::int64_t at = offset + place(layout, i);
        const State next = Op::apply(state, load(x[at]));
        out[at] = finish(layout.is_exclusive != 0 ? state : next);
        state = next;
      }
    });
  }

  static __device__ void starts(State* totals, const CumulativeLayout& layout) {
    const std::int64_t lines = layout.outer * layout.inner;
    const Turns turn = turns();
    for (std::int64_t line = turn.first; line < lines; line += turn.step) {
      const std::int64_t outer = line / layout.inner;
      State* own = totals + outer * layout.chunks * layout.inner + line - outer * layout.inner;
      State before = neutral();
      for (std::int64_t i = 0; i < layout.chunks; ++i) {
        const State total = own[i * layout.inner];
        own[i * layout.inner] = before;
        before = Op::apply(before, total);
      }
    }
  }
};

}  // namespace

#define LOCI_CUMULATIVE(dtype, T, name, Op)                                                      \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) name##_row_totals_##dtype(         \
      const T* x, sum_t<T>* totals, const __grid_constant__ CumulativeLayout layout) {           \
    Cumulate<Op, T>::row_totals(x, totals, layout);                                              \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) name##_column_totals_##dtype(      \
      const T* x, sum_t<T>* totals, const __grid_constant__ CumulativeLayout layout) {           \
    Cumulate<Op, T>::column_totals(x, totals, layout);                                           \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      name##_starts_##dtype(sum_t<T>* totals, const __grid_constant__ CumulativeLayout layout) { \
    Cumulate<Op, T>::starts(totals, layout);                                                     \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      name##_rows_##dtype(const T* x, const sum_t<T>* starts, T* out,                            \
                          const __grid_constant__ CumulativeLayout layout) {                     \
    Cumulate<Op, T>::rows(x, starts, out, layout);                                               \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      name##_columns_##dtype(const T* x, const sum_t<T>* starts, T* out,                         \
                             const __grid_constant__ CumulativeLayout layout) {                  \
    Cumulate<Op, T>::columns(x, starts, out, layout);                                            \
  }

LOCI_BITS(LOCI_CUMULATIVE, cumsum, Add)
LOCI_BITS(LOCI_CUMULATIVE, cumprod, Multiply)

}  // namespace loci::cuda
