// Reductions along an axis that is not the innermost: outputs lie side by side, as elements do.
#pragma once

#include "kernels/device/thread_teams.cuh"
#include "kernels/reduce/reduce_part.cuh"

namespace loci::cuda {

// The columns of a thread, side by side.
template <class Fold>
inline constexpr int kColumnLanes = 16 / sizeof(typename Fold::Input) < kMostColumnLanes
                                        ? 16 / sizeof(typename Fold::Input)
                                        : kMostColumnLanes;

// Elements of neighbouring columns, at once if they lie so.
template <int lanes, bool are_aligned, class T>
__device__ Vector<T, lanes> load_beside(const T* from) {
  if constexpr (are_aligned) {
    return load_lanes<lanes>(from);
  } else {
    Vector<T, lanes> row;
#pragma unroll
    for (int lane = 0; lane < lanes; ++lane) row.lanes[lane] = from[lane];
    return row;
  }
}

// A fold of more than the elements of x has
//   Row<lanes>                          what its terms at some columns are made of
//   Row row<lanes, are_aligned>(offset, position)
//   State term(Row, lane)
//   bool is_aligned<lanes>()            whether all of that can be loaded at once
template <class Fold>
concept HasRows = requires {
  typename Fold::template Row<1>;
};

template <int lanes, bool are_aligned, class Fold>
__device__ auto row_of(const Fold& fold, std::int64_t offset, std::int64_t position) {
  if constexpr (HasRows<Fold>) {
    return fold.template row<lanes, are_aligned>(offset, position);
  } else {
    return load_beside<lanes, are_aligned>(fold.x + offset);
  }
}

template <class Fold, class Row>
__device__ typename Fold::State term_of(const Fold& fold, const Row& row, int lane,
                                        const Place& at) {
  if constexpr (HasRows<Fold>) {
    return fold.term(row, lane);
  } else {
    return fold.term(row.lanes[lane], at);
  }
}

template <int lanes, class Fold>
__device__ bool is_aligned(const Fold& fold) {
  if constexpr (HasRows<Fold>) {
    return fold.template is_aligned<lanes>();
  } else {
    return is_vector<lanes>(fold.x);
  }
}

// A block's, so far apart that neighbours who read lanes of a thread meet different banks.
template <class State, int lanes>
using BlockStates = State[lanes][kBlockThreads + kWarpThreads / lanes];

// One for all that fold so many.
template <class State, int lanes>
__device__ BlockStates<State, lanes>& block_states() {
  __shared__ BlockStates<State, lanes> states;
  return states;
}

// Folds all members of each of the teams, which have `lanes` columns each. All threads of the
// block: use(column, state), each for some columns, neighbours for neighbouring ones.
template <class Fold, int lanes, class Use>
__device__ void fold_teams(const ColumnTeam& team, int width, typename Fold::State (&states)[lanes],
                           const Use& use) {
  auto& parts = block_states<typename Fold::State, lanes>();
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int lane = 0; lane < lanes; ++lane) parts[lane][thread] = states[lane];
  __syncthreads();
#pragma unroll 1
  for (int half = team.size() / 2; half > 0; half /= 2) {
    if (team.member() < half) {
#pragma unroll
      for (int lane = 0; lane < lanes; ++lane) {
        states[lane] = Fold::apply(states[lane], parts[lane][thread + half * width]);
        parts[lane][thread] = states[lane];
      }
    }
    __syncthreads();
  }
  for (int column = thread; column < width * lanes; column += kBlockThreads) {
    use(column, parts[column % lanes][column / lanes]);
  }
  __syncthreads();  // `parts` is free again
}

// A thread's columns, the first of which is `output`; its elements are `base` and more from the
// first of x.
struct OwnColumns {
  std::int64_t output;
  std::int64_t base;
};

// Adds a part of them to `states`.
template <bool are_aligned, class Fold, int lanes, class Offset>
__device__ void fold_own_columns(const Fold& fold, const ColumnTeam& team, const Part& part,
                                 const OwnColumns& own, const Offset& offset,
                                 typename Fold::State (&states)[lanes]) {
  in_batches(
      part.begin + team.member(), part.end, team.size(),
      [&](std::int64_t i) { return row_of<lanes, are_aligned>(fold, own.base + offset(i), i); },
      [&](std::int64_t i, const auto& row) {
#pragma unroll
        for (int lane = 0; lane < lanes; ++lane) {
          const Place at{own.base + offset(i) + lane, own.output + lane, i};
          states[lane] = Fold::apply(states[lane], term_of(fold, row, lane, at));
        }
      });
}

// The order of a sum is the same for threads of one column and of several, and wherever x
// begins.
template <int lanes, class Fold>
__device__ void fold_strips(const Fold& fold, typename Fold::State* partial,
                            const ReduceLayout& layout) {
  const ColumnTeam team(layout.width);
  // Aligned elements at steps of one size, most of the time.
  const bool is_plain = layout.reduced.rank <= 1 && is_aligned<lanes>(fold);
  const std::int64_t step = layout.reduced.rank == 0 ? 0 : layout.reduced.axes[0].step;
  const std::int64_t items =
      layout.outputs / layout.inner * layout.strips.value * layout.splits.value;
  for (std::int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const std::int64_t group = quotient(item, layout.splits);
    const std::int64_t row = quotient(group, layout.strips);
    const Part part = part_of(layout, item - group * layout.splits.value);
    const std::int64_t first = (group - row * layout.strips.value) * layout.width * lanes;
    const std::int64_t column = first + team.column() * lanes;
    typename Fold::State states[lanes];
#pragma unroll
    for (auto& state : states) state = Fold::neutral();
    if (column < layout.inner) {
      const OwnColumns own{row * layout.inner + column, offset_of(layout.kept, row) + column};
      if (is_plain) {
        fold_own_columns<true>(
            fold, team, part, own, [=](std::int64_t i) { return i * step; }, states);
      } else {
        fold_own_columns<false>(
            fold, team, part, own, [&](std::int64_t i) { return offset_of(layout.reduced, i); },
            states);
      }
    }
    fold_teams<Fold>(team, layout.width, states, [&](int at, typename Fold::State state) {
      if (first + at >= layout.inner) return;
      leave(fold, partial, layout, part.split, row * layout.inner + first + at, state);
    });
  }
}

template <class Fold>
__device__ void fold_columns(const Fold& fold, typename Fold::State* partial,
                             const ReduceLayout& layout) {
  if (layout.lanes == 1) {
    fold_strips<1>(fold, partial, layout);
  } else {
    fold_strips<kColumnLanes<Fold>>(fold, partial, layout);
  }
}

// The parts of outputs, which lie side by side.
template <class Fold>
__device__ void fold_parts(const Fold& fold, const typename Fold::State* partial,
                           const ReduceLayout& layout) {
  using State = typename Fold::State;
  const ColumnTeam team(layout.parts_width);
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * layout.parts_width;
       first < layout.outputs; first += static_cast<std::int64_t>(gridDim.x) * layout.parts_width) {
    const std::int64_t output = first + team.column();
    State states[1] = {Fold::neutral()};
    if (output < layout.outputs) {
      in_batches(
          team.member(), layout.splits.value, team.size(),
          [&](std::int64_t split) { return partial[split * layout.outputs + output]; },
          [&](std::int64_t, State state) { states[0] = Fold::apply(states[0], state); });
    }
    fold_teams<Fold>(team, layout.parts_width, states, [&](int column, State state) {
      if (first + column < layout.outputs) fold.write(first + column, state);
    });
  }
}

}  // namespace loci::cuda
