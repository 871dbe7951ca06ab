// Work on the vectors along one axis, shared among threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/host.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"

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

}  // namespace loci::kernels
