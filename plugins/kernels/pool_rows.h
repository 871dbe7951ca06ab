// The windows that most networks pool by, 2 x 2 and 3 x 3, on rows of at least a vector.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/pool2d.hpp>
#include <type_traits>
#include <vector>

#include "plugins/kernels/extremes.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/pool_windows.h"

namespace loci::kernels {

// Returns true if there is a NaN among the elements.
template <class T>
LOCI_INLINE inline bool has_nan(const T* x, std::int64_t count) {
  using Flag = std::conditional_t<sizeof(T) == sizeof(double), std::int64_t, std::int32_t>;
  constexpr std::int64_t kLanes = 32;
  Flag found[kLanes] = {};
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
#pragma omp simd
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      found[lane] |= is_unordered(x[i + lane], x[i + kLanes + lane]) ? Flag{1} : Flag{0};
    }
  }
  Flag any = 0;
  for (const Flag flag : found) any |= flag;
  for (; i < count; ++i) any |= x[i] != x[i] ? Flag{1} : Flag{0};
  return any != 0;
}

// Rows of the image are folded into one for each row of windows, some of them before the first is
// read: what has just been written would be waited for. Loops are of whole vectors: those that
// reach beyond a row do its last elements once more, or write what the next row of windows
// overwrites.
template <class T, class Fold>
struct PoolRows {
  static_assert(std::is_same_v<T, typename Fold::State>);
  static constexpr std::int64_t kLanes = 16;
  static constexpr std::int64_t kMostFolded = 16384 / sizeof(T);  // elements
  static constexpr std::int64_t kMostRows = 16;                   // of windows, at once

  static bool suits(const PoolGeometry& geometry) {
    const sdk::WindowAxis& axis = geometry.width_axis;
    const bool is_pair = axis.kernel == 2 && axis.stride == 2;
    const bool is_triple = axis.kernel == 3 && axis.stride <= 2;
    return (is_pair || is_triple) && axis.output > 1 && geometry.height_axis.kernel <= 3 &&
           geometry.width >= kLanes && pitch_of(geometry) <= kMostFolded;
  }

  PoolRows(const sdk::Host* the_host, const PoolGeometry& the_geometry)
      : host(the_host),
        geometry(the_geometry),
        pitch(pitch_of(the_geometry)),
        rows_at_once(std::min(kMostFolded / pitch, kMostRows)) {
    const sdk::WindowAxis& axis = geometry.width_axis;
    for (std::int64_t o = 0; o < vectors_of(axis.output) * kLanes; ++o) {
      const std::int64_t count = o < axis.output ? geometry.counted(axis, o) : 1;
      column_counts.push_back(static_cast<T>(count));
    }
  }

  void launch(const sdk::Launch& launch) const {
    const T* x = launch.input<T>(0);
    T* out = launch.output<T>(0);
    const std::int64_t element = geometry.height_axis.kernel + geometry.width_axis.kernel;
    const std::int64_t row = 50 * element * geometry.width_axis.output;
    host->parallel_for(0, geometry.planes * geometry.height_axis.output, grain_for(row),
                       [&](std::int64_t begin, std::int64_t end) {
                         run_widest([&](auto) LOCI_INLINE { run(out, x, begin, end); });
                       });
  }

  // Rows of windows, counted through all planes.
  LOCI_INLINE void run(T* out, const T* x, std::int64_t begin, std::int64_t end) const {
    alignas(64) T folded[kMostFolded];
    std::fill(folded, folded + rows_at_once * pitch, Fold::neutral());
    const std::int64_t rows = geometry.height_axis.output;
    const std::int64_t columns = geometry.width_axis.output;
    for (std::int64_t item = begin; item < end;) {
      const std::int64_t first = item % rows;
      const std::int64_t count = std::min({rows_at_once, end - item, rows - first});
      const T* image = x + item / rows * geometry.image_size;
      fold(out + item * columns, image, folded, first, count, (end - item) * columns);
      item += count;
    }
  }

  const sdk::Host* host;
  PoolGeometry geometry;
  std::int64_t pitch;
  std::int64_t rows_at_once;
  std::vector<T> column_counts;  // of elements that count; 1 behind the last window

 private:
  static constexpr std::int64_t vectors_of(std::int64_t count) {
    return (count + kLanes - 1) / kLanes;
  }

  // Elements from one folded row to the next: all that vectors of windows reach.
  static std::int64_t pitch_of(const PoolGeometry& geometry) {
    const sdk::WindowAxis& axis = geometry.width_axis;
    const std::int64_t reach = (vectors_of(axis.output) * kLanes - 1) * axis.stride + axis.kernel;
    return vectors_of(std::max(reach, axis.before + geometry.width)) * kLanes;
  }

  // `count` rows of windows of an image. Behind `room` elements of `out` there may be what another
  // thread has written.
  LOCI_INLINE void fold(T* out, const T* image, T* folded, std::int64_t first, std::int64_t count,
                        std::int64_t room) const {
    if constexpr (requires { typename Fold::WithoutNan; }) {
      const std::int64_t begin = geometry.height_axis.inside(first).begin * geometry.width;
      const std::int64_t end = geometry.height_axis.inside(first + count - 1).end * geometry.width;
      if (!has_nan(image + begin, end - begin)) {
        return fold_by<typename Fold::WithoutNan>(out, image, folded, first, count, room);
      }
    }
    fold_by<Fold>(out, image, folded, first, count, room);
  }

  template <class By>
  LOCI_INLINE void fold_by(T* out, const T* image, T* folded, std::int64_t first,
                           std::int64_t count, std::int64_t room) const {
    for (std::int64_t i = 0; i < count; ++i) {
      fold_rows<By>(folded + i * pitch, image, geometry.height_axis.inside(first + i));
    }
    const std::int64_t columns = geometry.width_axis.output;
    for (std::int64_t i = 0; i < count; ++i) {
      fold_columns<By>(out + i * columns, folded + i * pitch, first + i, room - i * columns);
    }
  }

  // The places left and right of the image stay neutral.
  template <class By>
  LOCI_INLINE void fold_rows(T* folded, const T* image, const sdk::WindowRange& row) const {
    T* to = folded + geometry.width_axis.before;
    const T* from = image + row.begin * geometry.width;
    switch (row.size()) {
      case 1: return fold_together<By, 1>(to, from);
      case 2: return fold_together<By, 2>(to, from);
      case 3: return fold_together<By, 3>(to, from);
      default: std::fill(to, to + geometry.width, Fold::neutral());
    }
  }

  template <class By, std::int64_t rows>
  LOCI_INLINE void fold_together(T* to, const T* from) const {
    const std::int64_t width = geometry.width;
    for (std::int64_t begin = 0; begin < width; begin += kLanes) {
      const std::int64_t first = std::min(begin, width - kLanes);
#pragma omp simd
      for (std::int64_t i = first; i < first + kLanes; ++i) {
        T state = from[i];
        for (std::int64_t row = 1; row < rows; ++row) {
          state = By::apply(state, from[row * width + i]);
        }
        to[i] = state;
      }
    }
  }

  template <class By>
  LOCI_INLINE void fold_columns(T* out, const T* folded, std::int64_t row,
                                std::int64_t room) const {
    const auto row_count = static_cast<T>(geometry.counted(geometry.height_axis, row));
    if (geometry.width_axis.kernel == 2) {
      fold_windows<By, 2, 2>(out, folded, row_count, room);
    } else if (geometry.width_axis.stride == 2) {
      fold_windows<By, 3, 2>(out, folded, row_count, room);
    } else {
      fold_windows<By, 3, 1>(out, folded, row_count, room);
    }
  }

  template <class By, int kernel, int stride>
  LOCI_INLINE void fold_windows(T* out, const T* folded, T row_count, std::int64_t room) const {
    const std::int64_t windows = geometry.width_axis.output;
    const T* counts = column_counts.data();
    const bool has_room = vectors_of(windows) * kLanes <= room;
    const std::int64_t whole = has_room ? windows : windows / kLanes * kLanes;
    for (std::int64_t o = 0; o < whole; o += kLanes) {
      fold_vector<By, kernel, stride>(out + o, folded + o * stride, row_count, counts + o);
    }
    if (whole == windows) return;
    T rest[kLanes];
    fold_vector<By, kernel, stride>(rest, folded + whole * stride, row_count, counts + whole);
    std::memcpy(out + whole, rest, static_cast<std::size_t>(windows - whole) * sizeof(T));
  }

  template <class By, int kernel, int stride>
  LOCI_INLINE static void fold_vector(T* out, const T* folded, T row_count, const T* counts) {
#pragma omp simd
    for (std::int64_t o = 0; o < kLanes; ++o) {
      T state = By::apply(folded[stride * o], folded[stride * o + 1]);
      if constexpr (kernel == 3) state = By::apply(state, folded[stride * o + 2]);
      out[o] = Fold::finish(state, row_count * counts[o]);
    }
  }
};

}  // namespace loci::kernels
