// Reductions: how elements are walked and shared among threads, whatever they are folded with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/reduction.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/half_convert.h"
#include "plugins/kernels/isa.h"

namespace loci::kernels {

// A fold of elements T has
//   State                          what elements become part of
//   static State neutral()
//   static State apply(State, State)
//   State run(width, const C*, count)  of elements that lie side by side; C is what T is computed
//                                      in, width a VectorWidth
//   T finish(State)
// all but neutral and finish always inline. The order is the same on every processor and for every
// number of threads.

template <class Fold, class T>
LOCI_INLINE inline typename Fold::State load_state(T value) {
  return static_cast<typename Fold::State>(static_cast<sdk::compute_t<T>>(value));
}

// The fold of elements that lie side by side; halves are converted block by block.
template <class Width, class Fold, class T>
LOCI_INLINE inline typename Fold::State fold_run(Width vector, const Fold& fold, const T* x,
                                                 std::int64_t count) {
  if constexpr (sdk::is_half<T>) {
    constexpr std::int64_t kBlock = 2048;
    alignas(64) float wide[kBlock];
    auto state = Fold::neutral();
    for (std::int64_t begin = 0; begin < count; begin += kBlock) {
      const std::int64_t block = std::min(kBlock, count - begin);
      widen(x + begin, wide, block);
      state = Fold::apply(state, fold.run(vector, wide, block));
    }
    return state;
  } else {
    return fold.run(vector, x, count);
  }
}

// All elements to one. Blocks of a fixed size, so that the result does not depend on the threads.
template <class Fold, class T>
struct FoldAll {
  using State = typename Fold::State;
  static constexpr std::int64_t kBlock = 65536;

  void launch(const sdk::Launch& launch) const {
    const T* x = launch.input<T>(input);
    auto* partial = launch.workspace<State>();
    const std::int64_t blocks = (count + kBlock - 1) / kBlock;
    host->parallel_for(0, blocks, 2, [&](std::int64_t begin, std::int64_t end) {
      run_widest([&](auto vector) LOCI_INLINE {
        for (std::int64_t block = begin; block < end; ++block) {
          const std::int64_t first = block * kBlock;
          partial[block] = fold_run(vector, fold, x + first, std::min(kBlock, count - first));
        }
      });
    });
    State result = Fold::neutral();
    for (std::int64_t block = 0; block < blocks; ++block) {
      result = Fold::apply(result, partial[block]);
    }
    *launch.output<T>(0) = fold.finish(result);
  }

  const sdk::Host* host;
  std::uint32_t input;
  std::int64_t count;
  Fold fold;
};

// The innermost axis goes: each output is made of some runs.
template <class Fold, class T>
struct FoldRuns {
  void launch(const sdk::Launch& launch) const {
    if (plan.outputs() == 0) return;  // the reduced extents may be any then
    const T* x = launch.input<T>(input);
    T* out = launch.output<T>(0);
    const std::int64_t grain = grain_for(300 * std::max<std::int64_t>(plan.reduced_count(), 16));
    host->parallel_for(0, plan.outputs(), grain, [&](std::int64_t begin, std::int64_t end) {
      run_widest([&](auto vector) LOCI_INLINE { run(vector, out, x, begin, end); });
    });
  }

  template <class Width>
  LOCI_INLINE void run(Width vector, T* out, const T* x, std::int64_t begin,
                       std::int64_t end) const {
    sdk::AxisWalk kept(plan.kept, begin);
    const bool is_empty = plan.reduced_count() == 0;  // then there is no x
    for (std::int64_t i = begin; i < end; ++i, kept.next()) {
      out[i] = fold.finish(fold_output(vector, is_empty ? x : x + kept.offset()));
    }
  }

  template <class Width>
  LOCI_INLINE typename Fold::State fold_output(Width vector, const T* x) const {
    // A walk over nothing takes as long as a short run.
    if (plan.reduced.rank == 0 && plan.reduced.count == 1) {
      return fold_run(vector, fold, x, plan.inner);
    }
    auto state = Fold::neutral();
    sdk::AxisWalk reduced(plan.reduced, 0);
    for (std::int64_t row = 0; row < plan.reduced.count; ++row, reduced.next()) {
      state = Fold::apply(state, fold_run(vector, fold, x + reduced.offset(), plan.inner));
    }
    return state;
  }

  const sdk::Host* host;
  std::uint32_t input;
  sdk::ReducePlan plan;
  Fold fold;
};

// The innermost axis stays: rows are folded, a strip of columns at a time.
template <class Fold, class T>
struct FoldColumns {
  using C = sdk::compute_t<T>;
  using State = typename Fold::State;
  // Columns. A row's piece of a page is fetched ahead, and the states stay in the first cache.
  static constexpr std::int64_t kMostOfStrip = 1024;
  static constexpr std::int64_t kLeastOfStrip = 128;
  static constexpr std::int64_t kTogether = 4;  // rows

  void launch(const sdk::Launch& launch) const {
    if (plan.outputs() == 0) return;  // the reduced extents may be any then
    const T* x = launch.input<T>(input);
    T* out = launch.output<T>(0);
    const std::int64_t strip = columns_of_strip(host->parallel_width());
    const std::int64_t strips = (plan.inner + strip - 1) / strip;
    const std::int64_t width = std::min(plan.inner, strip);
    const std::int64_t grain =
        grain_for(300 * std::max<std::int64_t>(plan.reduced.count * width, 16));
    host->parallel_for(
        0, plan.kept.count * strips, grain, [&](std::int64_t begin, std::int64_t end) {
          run_widest([&](auto) LOCI_INLINE {
            for (std::int64_t item = begin; item < end; ++item) {
              const std::int64_t column = item % strips * strip;
              run(out, x, item / strips, column, std::min(strip, plan.inner - column));
            }
          });
        });
  }

  // So that each thread has one. What a column's result is does not depend on it.
  [[nodiscard]] std::int64_t columns_of_strip(std::int64_t threads) const {
    constexpr std::int64_t kGranule = 16;
    const std::int64_t least = (plan.inner + kMostOfStrip - 1) / kMostOfStrip;
    const std::int64_t wanted = std::max(least, (threads + plan.kept.count - 1) / plan.kept.count);
    const std::int64_t even = (plan.inner + wanted - 1) / wanted;
    return std::max((even + kGranule - 1) / kGranule * kGranule, kLeastOfStrip);
  }

  LOCI_INLINE void run(T* out, const T* x, std::int64_t row, std::int64_t column,
                       std::int64_t width) const {
    State states[kMostOfStrip];
    for (std::int64_t c = 0; c < width; ++c) states[c] = Fold::neutral();
    // Where nothing is reduced there is no x.
    if (plan.reduced.count > 0) x += sdk::AxisWalk(plan.kept, row).offset() + column;
    sdk::AxisWalk reduced(plan.reduced, 0);
    std::int64_t i = 0;
    for (; i + kTogether <= plan.reduced.count; i += kTogether) {
      apply_rows<kTogether>(x, reduced, width, states);
    }
    for (; i < plan.reduced.count; ++i) apply_rows<1>(x, reduced, width, states);
    out += row * plan.inner + column;
    for (std::int64_t c = 0; c < width; ++c) out[c] = fold.finish(states[c]);
  }

  // The next rows of the walk, one after the other for each column.
  template <std::int64_t count>
  LOCI_INLINE static void apply_rows(const T* x, sdk::AxisWalk& walk, std::int64_t width,
                                     State* states) {
    const T* rows[count];
    for (std::int64_t row = 0; row < count; ++row, walk.next()) rows[row] = x + walk.offset();
    if constexpr (sdk::is_half<T>) {
      for (const T* row : rows) {
        C wide[kMostOfStrip];
        widen(row, wide, width);
        const C* const wide_rows[1] = {wide};
        apply_columns<1>(wide_rows, width, states);
      }
    } else {
      apply_columns<count>(rows, width, states);
    }
  }

  template <std::int64_t count>
  LOCI_INLINE static void apply_columns(const C* const (&rows)[count], std::int64_t width,
                                        State* states) {
#pragma omp simd
    for (std::int64_t c = 0; c < width; ++c) {
      State state = states[c];
      for (std::int64_t row = 0; row < count; ++row) {
        state = Fold::apply(state, load_state<Fold>(rows[row][c]));
      }
      states[c] = state;
    }
  }

  const sdk::Host* host;
  std::uint32_t input;
  sdk::ReducePlan plan;
  Fold fold;
};

// Prepares the one that suits the plan, for that input.
template <class T, class Fold>
void emplace_fold(sdk::Prepare& prepare, const sdk::ReducePlan& plan, const Fold& fold,
                  std::uint32_t input = 0) {
  using All = FoldAll<Fold, T>;
  const sdk::Host* host = &prepare.host();
  const bool is_long = plan.reduced_count() > 2 * All::kBlock;
  if (plan.outputs() == 1 && plan.reduced.rank == 0 && is_long) {
    const std::int64_t blocks = plan.inner / All::kBlock + 1;
    prepare.set_workspace(static_cast<std::uint64_t>(blocks) * sizeof(typename Fold::State));
    prepare.emplace<All>(host, input, plan.inner, fold);
  } else if (plan.inner_is_reduced) {
    prepare.emplace<FoldRuns<Fold, T>>(host, input, plan, fold);
  } else {
    prepare.emplace<FoldColumns<Fold, T>>(host, input, plan, fold);
  }
}

}  // namespace loci::kernels
