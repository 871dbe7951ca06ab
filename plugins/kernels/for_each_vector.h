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

// Calls work.run_row(offset, vector) for each vector if its elements lie side by side, else
// work.run_columns(offset, vector, width) for `width` neighbouring ones, the first of which begins
// at `offset`. Both are always inline. One element costs one thread `picoseconds`.
template <class Work>
void for_each_vector(const sdk::Host& host, const sdk::AxisSplit& split, std::int64_t picoseconds,
                     const Work& work) {
  const std::int64_t width = std::min(split.inner, kAxisStrip);
  const std::int64_t strips = (split.inner + kAxisStrip - 1) / kAxisStrip;
  const std::int64_t elements = std::max<std::int64_t>(split.count * width, 1);
  host.parallel_for(0, split.outer * strips, grain_for(picoseconds * elements),
                    [&](std::int64_t begin, std::int64_t end) {
                      run_widest([&](auto) LOCI_INLINE {
                        for (std::int64_t item = begin; item < end; ++item) {
                          const std::int64_t column = item % strips * kAxisStrip;
                          const std::int64_t row = item / strips;
                          const std::int64_t offset = row * split.count * split.inner + column;
                          const std::int64_t vector = row * split.inner + column;
                          if (split.inner == 1) {
                            work.run_row(offset, vector);
                          } else {
                            work.run_columns(offset, vector,
                                             std::min(kAxisStrip, split.inner - column));
                          }
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
