// Reductions of elements that lie side by side, in runs maybe.
#pragma once

#include "kernels/device/thread_teams.cuh"
#include "kernels/reduce/reduce_part.cuh"

namespace loci::cuda {

// Folds the elements that lie at `first` and behind it.
template <class Fold>
__device__ typename Fold::State fold_vector(const Fold& fold,
                                            const Vector<typename Fold::Input>& vector,
                                            const Place& first) {
  constexpr int kLanes = Vector<typename Fold::Input>::kLanes;
  typename Fold::State states[kLanes];
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) {
    states[lane] =
        fold.term(vector.lanes[lane], {first.offset + lane, first.output, first.position + lane});
  }
  return fold_pairs<Fold>(states);
}

// A thread's part of a row: its elements are `base` and more from the first of x.
template <class Fold>
struct OwnOfRow {
  using Input = typename Fold::Input;
  using State = typename Fold::State;
  static constexpr std::int64_t kLanes = Vector<Input>::kLanes;

  // One run of elements: no position has to be looked for.
  __device__ State of_run() const {
    State state = Fold::neutral();
    const Input* run = fold.x + base;
    const std::int64_t whole =
        is_vector<kLanes>(run) ? part.end - (part.end - part.begin) % kLanes : part.begin;
    in_batches(
        part.begin + team.member() * kLanes, whole, team.size() * kLanes,
        [&](std::int64_t i) { return load_vector(run + i); },
        [&](std::int64_t i, const Vector<Input>& vector) {
          state = Fold::apply(state, fold_vector(fold, vector, {base + i, output, i}));
        });
    return with_elements(state, whole, [](std::int64_t i) { return i; });
  }

  // Vectors where each lies in one of the runs.
  __device__ State of_runs() const {
    State state = Fold::neutral();
    std::int64_t done = part.begin;
    const auto offset = [&](std::int64_t i) { return offset_of(axes, i); };
    if (is_vector<kLanes>(fold.x + base) && axes.axes[0].extent % kLanes == 0) {
      done = part.end - (part.end - part.begin) % kLanes;
#pragma unroll kBatch
      for (std::int64_t i = part.begin + team.member() * kLanes; i < done;
           i += team.size() * kLanes) {
        const std::int64_t at = base + offset(i);
        state = Fold::apply(state, fold_vector(fold, load_vector(fold.x + at), {at, output, i}));
      }
    }
    return with_elements(state, done, offset);
  }

  // One by one, from `begin` on.
  template <class Offset>
  __device__ State with_elements(State state, std::int64_t begin, const Offset& offset) const {
    in_batches(
        begin + team.member(), part.end, team.size(),
        [&](std::int64_t i) { return fold.x[base + offset(i)]; },
        [&](std::int64_t i, Input value) {
          state = Fold::apply(state, fold.term(value, {base + offset(i), output, i}));
        });
    return state;
  }

  const Fold& fold;
  const ElementAxes& axes;
  const RowTeam& team;
  Part part;
  std::int64_t output;
  std::int64_t base;
};

template <class Fold>
__device__ void fold_rows(const Fold& fold, typename Fold::State* partial,
                          const ReduceLayout& layout) {
  const RowTeam team(layout.width);
  const std::int64_t items = layout.outputs * layout.splits.value;
  for (std::int64_t item = team.first_item(); item < items; item += team.item_step()) {
    const std::int64_t output = quotient(item, layout.splits);
    const Part part = part_of(layout, item - output * layout.splits.value);
    const OwnOfRow<Fold> own{fold, layout.reduced, team,
                             part, output,         offset_of(layout.kept, output)};
    auto state = layout.reduced.rank <= 1 ? own.of_run() : own.of_runs();
    state = team.template fold<Fold>(state);
    if (team.member() == 0) leave(fold, partial, layout, part.split, output, state);
  }
}

}  // namespace loci::cuda
