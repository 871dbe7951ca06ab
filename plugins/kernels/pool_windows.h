// pool2d folds its windows with these folds, and walks them with vectors in two ways; a third, for
// the windows of most networks, is in pool_rows.h.
//
// Most windows are small and lie side by side: rows of the image are folded into one row, and then
// columns of that (PoolStrips). A window as wide as the image, or wider than a strip, is folded by
// itself, run by run (PoolRuns).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/pool2d.hpp>
#include <utility>
#include <vector>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/summation.h"

namespace loci::kernels {

// Folds as MaxOfWindow does where there is no NaN.
template <class S>
struct LargerOfWindow {
  LOCI_INLINE static S apply(S a, S b) { return a > b ? a : b; }
};

// NaN counts as the largest.
template <class S>
struct MaxOfWindow {
  using State = S;
  using WithoutNan = LargerOfWindow<S>;
  static constexpr S neutral() { return -std::numeric_limits<S>::infinity(); }
  LOCI_INLINE static S apply(S a, S b) {
    const S larger = a > b ? a : b;  // b if either is NaN, as one instruction has it
    return a != a ? a : larger;
  }
  LOCI_INLINE static S finish(S state, S /*divisor*/) { return state; }

  template <class T>
  LOCI_INLINE static S run(const T* x, std::int64_t count) {
    constexpr auto kLanes = static_cast<std::int64_t>(kSumLanes);
    S lanes[kSumLanes];
    for (S& lane : lanes) lane = neutral();
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
#pragma omp simd
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] = apply(lanes[lane], static_cast<S>(x[i + lane]));
      }
    }
    S result = neutral();
    for (const S lane : lanes) result = apply(result, lane);
    for (; i < count; ++i) result = apply(result, static_cast<S>(x[i]));
    return result;
  }
};

template <class S>
struct MeanOfWindow {
  using State = S;
  static constexpr S neutral() { return 0; }
  LOCI_INLINE static S apply(S a, S b) { return a + b; }
  LOCI_INLINE static S finish(S state, S divisor) { return state / divisor; }

  template <class T>
  LOCI_INLINE static S run(const T* x, std::int64_t count) {
    return sum_terms<S>(count, [x](std::int64_t i) LOCI_INLINE { return static_cast<S>(x[i]); });
  }
};

struct PoolGeometry {
  // Up to that many elements, a sum in float is as good as needed: it is made of a few sums.
  static constexpr std::int64_t kSmallWindow = 256;

  PoolGeometry(const sdk::PoolShape& shape, const sdk::PoolOptions& options)
      : planes(shape.planes),
        width(shape.window.width.input),
        image_size(shape.window.height.input * width),
        height_axis(shape.window.height),
        width_axis(shape.window.width),
        counts_padding(!options.exclusive) {}

  [[nodiscard]] std::int64_t windows() const { return height_axis.output * width_axis.output; }
  [[nodiscard]] bool is_small() const {
    return height_axis.kernel * width_axis.kernel <= kSmallWindow;
  }
  // Elements of window o along an axis that count in an average.
  [[nodiscard]] std::int64_t counted(const sdk::WindowAxis& axis, std::int64_t o) const {
    const std::int64_t count = counts_padding ? axis.padded_size(o) : axis.inside(o).size();
    return std::max<std::int64_t>(count, 1);
  }
  // Returns the number that the sum of the window at [h, w] is divided by.
  [[nodiscard]] std::int64_t divisor(std::int64_t h, std::int64_t w) const {
    return counted(height_axis, h) * counted(width_axis, w);
  }

  std::int64_t planes;
  std::int64_t width;
  std::int64_t image_size;
  sdk::WindowAxis height_axis;
  sdk::WindowAxis width_axis;
  bool counts_padding;  // in averages
};

// Each window by itself.
template <class T, class Fold>
struct PoolRuns {
  using S = typename Fold::State;

  void launch(const sdk::Launch& launch) const {
    const T* x = launch.input<T>(0);
    T* out = launch.output<T>(0);
    const std::int64_t window = geometry.height_axis.kernel * geometry.width_axis.kernel;
    host->parallel_for(0, geometry.planes, grain_for((200 * window + 5000) * geometry.windows()),
                       [&](std::int64_t begin, std::int64_t end) {
                         run_widest([&](auto) LOCI_INLINE {
                           if (geometry.windows() == 1) return run_single(out, x, begin, end);
                           for (std::int64_t plane = begin; plane < end; ++plane) {
                             run(out + plane * geometry.windows(), x + plane * geometry.image_size);
                           }
                         });
                       });
  }

  // Folds planes with one window each, which is the same everywhere.
  LOCI_INLINE void run_single(T* out, const T* x, std::int64_t begin, std::int64_t end) const {
    const auto row = geometry.height_axis.inside(0);
    const auto column = geometry.width_axis.inside(0);
    const auto divisor = static_cast<S>(geometry.divisor(0, 0));
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const S folded = fold(x + plane * geometry.image_size, row, column);
      out[plane] = static_cast<T>(Fold::finish(folded, divisor));
    }
  }

  LOCI_INLINE void run(T* out, const T* image) const {
    for (std::int64_t h = 0; h < geometry.height_axis.output; ++h) {
      const auto row = geometry.height_axis.inside(h);
      for (std::int64_t w = 0; w < geometry.width_axis.output; ++w) {
        const auto column = geometry.width_axis.inside(w);
        const auto divisor = static_cast<S>(geometry.divisor(h, w));
        *out++ = static_cast<T>(Fold::finish(fold(image, row, column), divisor));
      }
    }
  }

  LOCI_INLINE S fold(const T* image, const sdk::WindowRange& row,
                     const sdk::WindowRange& column) const {
    if (column.size() == geometry.width) {  // whole rows lie side by side
      return Fold::run(image + row.begin * geometry.width, row.size() * geometry.width);
    }
    S state = Fold::neutral();
    for (std::int64_t h = row.begin; h < row.end; ++h) {
      const S of_row = Fold::run(image + h * geometry.width + column.begin, column.size());
      state = Fold::apply(state, of_row);
    }
    return state;
  }

  const sdk::Host* host;
  PoolGeometry geometry;
};

// A row of windows at a time, in strips.
template <class T, class Fold>
struct PoolStrips {
  using S = typename Fold::State;
  static constexpr std::int64_t kColumns = 1024;  // of the image under a strip

  static bool suits(const PoolGeometry& geometry) {
    return geometry.width_axis.output > 1 && geometry.width_axis.kernel <= kColumns / 2;
  }

  PoolStrips(const sdk::Host* the_host, const PoolGeometry& the_geometry)
      : host(the_host), geometry(the_geometry) {
    const sdk::WindowAxis& axis = geometry.width_axis;
    strip = (kColumns - axis.kernel) / axis.stride + 1;
    for (std::int64_t o = 0; o < axis.output; ++o) {
      column_counts.push_back(static_cast<S>(geometry.counted(axis, o)));
    }
  }

  void launch(const sdk::Launch& launch) const {
    const T* x = launch.input<T>(0);
    T* out = launch.output<T>(0);
    const std::int64_t rows = geometry.height_axis.output;
    const std::int64_t columns = geometry.width_axis.output;
    const std::int64_t element = geometry.height_axis.kernel + geometry.width_axis.kernel;
    host->parallel_for(0, geometry.planes * rows, grain_for(100 * element * columns),
                       [&](std::int64_t begin, std::int64_t end) {
                         run_widest([&](auto) LOCI_INLINE {
                           for (std::int64_t item = begin; item < end; ++item) {
                             run_row(out + item * columns, x + item / rows * geometry.image_size,
                                     item % rows);
                           }
                         });
                       });
  }

  LOCI_INLINE void run_row(T* out, const T* image, std::int64_t h) const {
    const sdk::WindowAxis& axis = geometry.width_axis;
    const sdk::WindowRange row = geometry.height_axis.inside(h);
    const auto row_count = static_cast<S>(geometry.counted(geometry.height_axis, h));
    S folded[kColumns];
    for (std::int64_t first = 0; first < axis.output; first += strip) {
      const std::int64_t count = std::min(strip, axis.output - first);
      fold_rows(folded, image, row, axis.begin(first), (count - 1) * axis.stride + axis.kernel);
      const S* counts = column_counts.data() + first;
      if (axis.stride == 1) {
        fold_columns<1>(out + first, folded, count, row_count, counts);
      } else if (axis.stride == 2 && axis.kernel == 2) {
        fold_pairs<2>(out + first, folded, count, row_count, counts);
      } else if (axis.stride == 2 && axis.kernel == 3) {
        fold_pairs<3>(out + first, folded, count, row_count, counts);
      } else {
        fold_columns<0>(out + first, folded, count, row_count, counts);
      }
    }
  }

  // Columns [left, left + length) of those rows become one; what lies outside is neutral.
  LOCI_INLINE void fold_rows(S* folded, const T* image, const sdk::WindowRange& row,
                             std::int64_t left, std::int64_t length) const {
    const std::int64_t begin = std::clamp<std::int64_t>(-left, 0, length);
    const std::int64_t end = std::clamp<std::int64_t>(geometry.width - left, begin, length);
    const std::int64_t fresh = row.size() > 0 ? begin : length;
    for (std::int64_t i = 0; i < fresh; ++i) folded[i] = Fold::neutral();
    if (row.size() == 0) return;
    for (std::int64_t i = end; i < length; ++i) folded[i] = Fold::neutral();
    const T* from = image + row.begin * geometry.width + left;
    switch (row.size()) {
      case 1: return fold_together<1>(folded, from, begin, end);
      case 2: return fold_together<2>(folded, from, begin, end);
      case 3: return fold_together<3>(folded, from, begin, end);
      default: break;
    }
    fold_together<3>(folded, from, begin, end);
    for (std::int64_t h = 3; h < row.size(); ++h) {
      const T* next = from + h * geometry.width;
#pragma omp simd
      for (std::int64_t i = begin; i < end; ++i) {
        folded[i] = Fold::apply(folded[i], static_cast<S>(next[i]));
      }
    }
  }

  // The first rows of a window, without a way through memory between them.
  template <std::int64_t rows>
  LOCI_INLINE void fold_together(S* folded, const T* from, std::int64_t begin,
                                 std::int64_t end) const {
#pragma omp simd
    for (std::int64_t i = begin; i < end; ++i) {
      auto state = static_cast<S>(from[i]);
      for (std::int64_t row = 1; row < rows; ++row) {
        state = Fold::apply(state, static_cast<S>(from[row * geometry.width + i]));
      }
      folded[i] = state;
    }
  }

  // Windows that begin at every second column, with so few of them that one loop has all.
  template <int kernel>
  LOCI_INLINE void fold_pairs(T* out, const S* folded, std::int64_t count, S row_count,
                              const S* counts) const {
#pragma omp simd
    for (std::int64_t o = 0; o < count; ++o) {
      S state = Fold::apply(folded[2 * o], folded[2 * o + 1]);
      if constexpr (kernel == 3) state = Fold::apply(state, folded[2 * o + 2]);
      out[o] = finish(state, row_count, counts[o]);
    }
  }

  // `fixed` is the stride if it is known here, else 0.
  template <int fixed>
  LOCI_INLINE void fold_columns(T* out, const S* folded, std::int64_t count, S row_count,
                                const S* counts) const {
    const std::int64_t stride = fixed != 0 ? fixed : geometry.width_axis.stride;
    S states[kColumns];
#pragma omp simd
    for (std::int64_t o = 0; o < count; ++o) states[o] = folded[o * stride];
    for (std::int64_t k = 1; k < geometry.width_axis.kernel; ++k) {
#pragma omp simd
      for (std::int64_t o = 0; o < count; ++o) {
        states[o] = Fold::apply(states[o], folded[o * stride + k]);
      }
    }
#pragma omp simd
    for (std::int64_t o = 0; o < count; ++o) out[o] = finish(states[o], row_count, counts[o]);
  }

  LOCI_INLINE static T finish(S state, S row_count, S column_count) {
    return static_cast<T>(Fold::finish(state, row_count * column_count));
  }

  const sdk::Host* host;
  PoolGeometry geometry;
  std::int64_t strip;            // windows
  std::vector<S> column_counts;  // of elements that count
};

}  // namespace loci::kernels
