// The gradient of pool2d's maxima, of images whose channels come last.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <type_traits>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/pool_windows.h"

namespace loci::kernels {

// The first of the largest elements of a window gets all of its gradient; NaN counts as the
// largest. A strip of an image's channels is one thread's.
template <class C>
struct MaxPoolNhwcGrad {
  static constexpr std::int64_t kStrip = 64;  // channels

  void launch(const sdk::Launch& launch) const {
    const C* x = launch.input<C>(0);
    const C* out_grad = launch.input<C>(2);
    C* x_grad = launch.output<C>(0);
    const std::int64_t strips = (channels + kStrip - 1) / kStrip;
    const std::int64_t images = channels == 0 ? 0 : geometry.planes / channels;
    host->parallel_for(
        0, images * strips, grain_for(picoseconds()), [&](std::int64_t begin, std::int64_t end) {
          run_widest([&](auto) LOCI_INLINE {
            for (std::int64_t item = begin; item < end; ++item) {
              const std::int64_t first = item % strips * kStrip;
              const std::int64_t image = item / strips * geometry.image_size * channels + first;
              const std::int64_t windows = item / strips * geometry.windows() * channels + first;
              run(x + image, out_grad + windows, x_grad + image,
                  std::min(kStrip, channels - first));
            }
          });
        });
  }

  const sdk::Host* host;
  PoolGeometry geometry;
  std::int64_t channels;

 private:
  // A position in a window, as wide as an element.
  using Place = std::conditional_t<sizeof(C) == 4, std::int32_t, std::int64_t>;

  // Returns what a strip of an image costs.
  [[nodiscard]] std::int64_t picoseconds() const {
    const std::int64_t window = geometry.height_axis.kernel * geometry.width_axis.kernel;
    return 200 * kStrip * std::max<std::int64_t>(geometry.windows() * window, 1);
  }

  LOCI_INLINE void run(const C* x, const C* out_grad, C* x_grad, std::int64_t count) const {
    for (std::int64_t i = 0; i < geometry.image_size; ++i) {
      std::fill_n(x_grad + i * channels, count, C{0});
    }
    for (std::int64_t h = 0; h < geometry.height_axis.output; ++h) {
      const sdk::WindowRange row = geometry.height_axis.inside(h);
      for (std::int64_t w = 0; w < geometry.width_axis.output; ++w, out_grad += channels) {
        const sdk::WindowRange column = geometry.width_axis.inside(w);
        if (row.size() <= 0 || column.size() <= 0) continue;
        const std::int64_t corner = (row.begin * geometry.width + column.begin) * channels;
        if (count == kStrip) {
          add_window(x + corner, out_grad, x_grad + corner, row.size(), column.size(), kStrip);
        } else {
          add_window(x + corner, out_grad, x_grad + corner, row.size(), column.size(), count);
        }
      }
    }
  }

  LOCI_INLINE void add_window(const C* x, const C* out_grad, C* x_grad, std::int64_t rows,
                              std::int64_t columns, std::int64_t count) const {
    C largest[kStrip];
    Place places[kStrip];
    for (std::int64_t c = 0; c < count; ++c) {
      largest[c] = x[c];
      places[c] = 0;
    }
    for_taps(rows, columns, [&](std::int64_t offset, Place tap) LOCI_INLINE {
      const C* values = x + offset;
#pragma omp simd
      for (std::int64_t c = 0; c < count; ++c) {
        const bool is_larger = !(values[c] <= largest[c]) && !std::isnan(largest[c]);
        largest[c] = is_larger ? values[c] : largest[c];
        places[c] = is_larger ? tap : places[c];
      }
    });
    for_taps(rows, columns, [&](std::int64_t offset, Place tap) LOCI_INLINE {
      C* sums = x_grad + offset;
#pragma omp simd
      for (std::int64_t c = 0; c < count; ++c) sums[c] += places[c] == tap ? out_grad[c] : C{0};
    });
  }

  // Calls body(offset, number) for the elements of a window.
  template <class Body>
  LOCI_INLINE void for_taps(std::int64_t rows, std::int64_t columns, const Body& body) const {
    Place tap = 0;
    for (std::int64_t h = 0; h < rows; ++h) {
      for (std::int64_t w = 0; w < columns; ++w) body((h * geometry.width + w) * channels, tap++);
    }
  }
};

}  // namespace loci::kernels
