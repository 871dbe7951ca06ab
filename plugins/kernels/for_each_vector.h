// Work on the vectors along one axis, shared among threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/host.hpp>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/widened_rows.h"

namespace loci::kernels {

// Neighbouring vectors that are worked on together where the axis is not the last.
inline constexpr std::int64_t kAxisStrip = 64;

// Rows that are worked on in steps, each step for all of them before the next: what one row waits
// for, such as a sum's last additions and a root, is then behind the loads of others.
inline constexpr std::int64_t kRowsTogether = 8;

template <class Work>
concept TakesRowsTogether = requires(const Work& work) {
  work.run_rows(std::int64_t{}, std::int64_t{});
};

template <class Work>
LOCI_INLINE inline void run_rows_of(const Work& work, std::int64_t count, std::int64_t begin,
                                    std::int64_t end) {
  if constexpr (TakesRowsTogether<Work>) {
    for (; begin < end; begin += kRowsTogether) {
      work.run_rows(begin, std::min(kRowsTogether, end - begin));
    }
  } else {
    for (; begin < end; ++begin) work.run_row(begin * count, begin);
  }
}

// Calls work.run_row(offset, vector) for each vector if its elements lie side by side, or, where
// the work has that, work.run_rows(first, rows) for up to kRowsTogether of them; else
// work.run_columns(offset, vector, width) for `width` neighbouring ones, the first of which begins
// at `offset`. All are always inline. One element costs one thread `picoseconds`.
template <class Work>
void for_each_vector(const sdk::Host& host, const sdk::AxisSplit& split, std::int64_t picoseconds,
                     const Work& work) {
  const std::int64_t width = std::min(split.inner, kAxisStrip);
  const std::int64_t strips = (split.inner + kAxisStrip - 1) / kAxisStrip;
  const std::int64_t elements = std::max<std::int64_t>(split.count * width, 1);
  host.parallel_for(0, split.outer * strips, grain_for(picoseconds * elements),
                    [&](std::int64_t begin, std::int64_t end) {
                      run_widest([&](auto) LOCI_INLINE {
                        if (split.inner == 1) return run_rows_of(work, split.count, begin, end);
                        for (std::int64_t item = begin; item < end; ++item) {
                          const std::int64_t column = item % strips * kAxisStrip;
                          const std::int64_t row = item / strips;
                          work.run_columns(row * split.count * split.inner + column,
                                           row * split.inner + column,
                                           std::min(kAxisStrip, split.inner - column));
                        }
                      });
                    });
}

// Prepares an op on vectors of floating dtypes, of which kernel_for(Tag<C>(), split) works on those
// of `split` in what the elements are computed in. Rows of `arguments` are what lies along the axis
// for one position before it.
template <class KernelFor>
void emplace_by_vectors(sdk::Prepare& prepare, const sdk::AxisSplit& split,
                        const RowArguments& arguments, std::int64_t picoseconds,
                        const KernelFor& kernel_for) {
  sdk::visit_floats(prepare.op().input(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const sdk::Tag<sdk::compute_t<T>> computed;
    if constexpr (sdk::is_half<T>) {
      emplace_widened_rows(prepare, split.outer, arguments, picoseconds, [&](std::int64_t rows) {
        sdk::AxisSplit part = split;
        part.outer = rows;
        return kernel_for(computed, part);
      });
    } else {
      prepare.emplace<decltype(kernel_for(computed, split))>(kernel_for(computed, split));
    }
  });
}

}  // namespace loci::kernels
