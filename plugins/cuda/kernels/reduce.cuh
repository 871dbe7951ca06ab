// Reductions, whatever elements are folded with.
//
// A Fold has
//   Input, State, Result, Extra   what is read, what elements become part of, what is written, and
//                                 the type of a parameter of its own
//   const Input* x
//   static State neutral()
//   State term(Input, Place)
//   static State apply(State, State)
//   void write(output, State)
// NAME_rows and NAME_columns fold parts as a ReduceLayout says; if there is more than one of an
// output, they leave them in `partial`, and NAME_parts folds those.
#pragma once

#include "kernels/element_axes.cuh"
#include "kernels/elements.cuh"
#include "kernels/reduce_layout.h"
#include "kernels/thread_teams.cuh"

namespace loci::cuda {

// Of an element: in x, of its output, and among the elements of that.
struct Place {
  std::int64_t offset;
  std::int64_t output;
  std::int64_t position;
};

struct Part {
  std::int64_t output;
  std::int64_t split;
  std::int64_t begin;
  std::int64_t end;
};

__device__ inline Part part_of(const ReduceLayout& layout, std::int64_t output,
                               std::int64_t split) {
  const std::int64_t begin = split * layout.chunk;
  const std::int64_t end = begin + layout.chunk;
  return {output, split, begin, end < layout.count ? end : layout.count};
}

template <class Fold>
__device__ void leave(const Fold& fold, typename Fold::State* partial, const ReduceLayout& layout,
                      const Part& part, typename Fold::State state) {
  if (layout.splits == 1) {
    fold.write(part.output, state);
  } else {
    partial[part.split * layout.outputs + part.output] = state;
  }
}

// What a thread folds of a part whose elements are `base` and more from the first. Vectors where
// each lies in one run of elements.
template <class Fold>
__device__ typename Fold::State fold_own(const Fold& fold, const ReduceLayout& layout,
                                         const RowTeam& team, const Part& part, std::int64_t base) {
  using Input = typename Fold::Input;
  constexpr std::int64_t kLanes = Vector<Input>::kLanes;
  constexpr int kUnroll = sizeof(Input) < 4 ? 1 : 4;
  auto state = Fold::neutral();
  std::int64_t done = part.begin;
  const ElementAxes& axes = layout.reduced;
  if (are_vectors(fold.x + base) && (axes.rank <= 1 || axes.axes[0].extent % kLanes == 0)) {
    done = part.end - (part.end - part.begin) % kLanes;
#pragma unroll kUnroll
    for (std::int64_t i = part.begin + team.member() * kLanes; i < done;
         i += team.size() * kLanes) {
      const std::int64_t offset = base + offset_of(axes, i);
      const Vector<Input> vector = load_vector(fold.x + offset);
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        state = Fold::apply(state,
                            fold.term(vector.lanes[lane], {offset + lane, part.output, i + lane}));
      }
    }
  }
#pragma unroll 4
  for (std::int64_t i = done + team.member(); i < part.end; i += team.size()) {
    const std::int64_t offset = base + offset_of(axes, i);
    state = Fold::apply(state, fold.term(fold.x[offset], {offset, part.output, i}));
  }
  return state;
}

template <class Fold>
__device__ void fold_rows(const Fold& fold, typename Fold::State* partial,
                          const ReduceLayout& layout) {
  const RowTeam team(layout.width);
  const std::int64_t items = layout.outputs * layout.splits;
  for (std::int64_t item = team.first_item(); item < items; item += team.item_step()) {
    const std::int64_t output = layout.splits == 1 ? item : item / layout.splits;
    const Part part = part_of(layout, output, item - output * layout.splits);
    auto state = fold_own(fold, layout, team, part, offset_of(layout.kept, output));
    state = team.template fold<Fold>(state);
    if (team.member() == 0) leave(fold, partial, layout, part, state);
  }
}

template <class Fold>
__device__ void fold_columns(const Fold& fold, typename Fold::State* partial,
                             const ReduceLayout& layout) {
  const ColumnTeam team(layout.width);
  const std::int64_t strips = (layout.inner + layout.width - 1) / layout.width;
  const std::int64_t items = layout.outputs / layout.inner * strips * layout.splits;
  for (std::int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const std::int64_t group = item / layout.splits;
    const std::int64_t row = group / strips;
    const std::int64_t column = (group - row * strips) * layout.width + team.column();
    const bool is_there = column < layout.inner;
    const Part part = part_of(layout, row * layout.inner + column, item - group * layout.splits);
    auto state = Fold::neutral();
    if (is_there) {
      const std::int64_t base = offset_of(layout.kept, row) + column;
#pragma unroll 4
      for (std::int64_t i = part.begin + team.member(); i < part.end; i += team.size()) {
        const std::int64_t offset = base + offset_of(layout.reduced, i);
        state = Fold::apply(state, fold.term(fold.x[offset], {offset, part.output, i}));
      }
    }
    state = team.template fold<Fold>(state);
    if (is_there && team.member() == 0) leave(fold, partial, layout, part, state);
  }
}

// A warp for each output.
template <class Fold>
__device__ void fold_parts(const Fold& fold, const typename Fold::State* partial,
                           const ReduceLayout& layout) {
  const RowTeam team(kWarpThreads);
  for (std::int64_t output = team.first_item(); output < layout.outputs;
       output += team.item_step()) {
    auto state = Fold::neutral();
    for (std::int64_t split = team.member(); split < layout.splits; split += team.size()) {
      state = Fold::apply(state, partial[split * layout.outputs + output]);
    }
    state = team.template fold<Fold>(state);
    if (team.member() == 0) fold.write(output, state);
  }
}

}  // namespace loci::cuda

// The three kernels of a Fold, an aggregate of x, out and its extra parameter.
#define LOCI_REDUCE_PART(name, part, Fold)                                               \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                            \
      name##_##part(const Fold::Input* x, Fold::Result* out, Fold::Extra extra,          \
                    Fold::State* partial, const __grid_constant__ ReduceLayout layout) { \
    fold_##part(Fold{x, out, extra}, partial, layout);                                   \
  }
#define LOCI_REDUCE(name, Fold)         \
  LOCI_REDUCE_PART(name, rows, Fold)    \
  LOCI_REDUCE_PART(name, columns, Fold) \
  LOCI_REDUCE_PART(name, parts, Fold)
#define LOCI_REDUCE_FLOATS(name, Fold)  \
  LOCI_REDUCE(name##_f32, Fold<float>)  \
  LOCI_REDUCE(name##_f64, Fold<double>) \
  LOCI_REDUCE(name##_f16, Fold<__half>) \
  LOCI_REDUCE(name##_bf16, Fold<__nv_bfloat16>)
// Where the sign of integers makes no difference.
#define LOCI_REDUCE_BITS(name, Fold)           \
  LOCI_REDUCE_FLOATS(name, Fold)               \
  LOCI_REDUCE(name##_u8, Fold<std::uint8_t>)   \
  LOCI_REDUCE(name##_u16, Fold<std::uint16_t>) \
  LOCI_REDUCE(name##_u32, Fold<std::uint32_t>) \
  LOCI_REDUCE(name##_u64, Fold<std::uint64_t>)
#define LOCI_REDUCE_NUMBERS(name, Fold)       \
  LOCI_REDUCE_BITS(name, Fold)                \
  LOCI_REDUCE(name##_i8, Fold<std::int8_t>)   \
  LOCI_REDUCE(name##_i16, Fold<std::int16_t>) \
  LOCI_REDUCE(name##_i32, Fold<std::int32_t>) \
  LOCI_REDUCE(name##_i64, Fold<std::int64_t>)
