// The elements of an image get shares of the gradient of a row of windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <loci/plugin/pool2d.hpp>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/pool_windows.h"

namespace loci::kernels {

// Each the same, of an average.
struct ShareOfAll {
  template <class T>
  LOCI_INLINE static void add(const PoolGeometry& geometry, std::int64_t h, const T* /*image*/,
                              const T* out_grad, double* sums) {
    const sdk::WindowRange row = geometry.height_axis.inside(h);
    for (std::int64_t o = 0; o < geometry.width_axis.output; ++o) {
      const sdk::WindowRange column = geometry.width_axis.inside(o);
      if (column.size() == 0) continue;
      const double share =
          static_cast<double>(out_grad[o]) / static_cast<double>(geometry.divisor(h, o));
      for (std::int64_t y = row.begin; y < row.end; ++y) {
        double* line = sums + y * geometry.width;
        for (std::int64_t w = column.begin; w < column.end; ++w) line[w] += share;
      }
    }
  }
};

// The first of the largest elements all of it; NaN counts as the largest.
struct ShareOfLargest {
  template <class T>
  LOCI_INLINE static void add(const PoolGeometry& geometry, std::int64_t h, const T* image,
                              const T* out_grad, double* sums) {
    const sdk::WindowRange row = geometry.height_axis.inside(h);
    const sdk::WindowAxis& axis = geometry.width_axis;
    const sdk::WindowRange whole = whole_windows(geometry);
    const auto add_one_by_one = [&](std::int64_t begin, std::int64_t end) LOCI_INLINE {
      for (std::int64_t o = begin; o < end; ++o) {
        const sdk::WindowRange column = axis.inside(o);
        if (column.size() == 0) continue;
        sums[find(image, geometry.width, row, column)] += static_cast<double>(out_grad[o]);
      }
    };
    add_one_by_one(0, whole.begin);
    for (std::int64_t first = whole.begin; first < whole.end; first += kStrip) {
      const std::int64_t count = std::min(kStrip, whole.end - first);
      add_strip(geometry, row, image, first, count, out_grad + first, sums);
    }
    add_one_by_one(whole.end, axis.output);
  }

 private:
  static constexpr std::int64_t kStrip = 64;  // windows

  // Those whose columns all lie inside the image; none where numbers of 32 bits do not do.
  LOCI_INLINE static sdk::WindowRange whole_windows(const PoolGeometry& geometry) {
    const sdk::WindowAxis& axis = geometry.width_axis;
    const std::int64_t room = geometry.width - axis.kernel + axis.before;
    const bool is_large = geometry.image_size > std::numeric_limits<std::int32_t>::max();
    if (room < 0 || is_large) return {0, 0};
    const std::int64_t begin = (axis.before + axis.stride - 1) / axis.stride;
    const std::int64_t end = std::min(room / axis.stride + 1, axis.output);
    return {std::min(begin, end), end};
  }

  template <class T>
  LOCI_INLINE static std::int64_t find(const T* image, std::int64_t width,
                                       const sdk::WindowRange& row,
                                       const sdk::WindowRange& column) {
    std::int64_t best = row.begin * width + column.begin;
    T largest = image[best];
    for (std::int64_t h = row.begin; h < row.end; ++h) {
      for (std::int64_t w = column.begin; w < column.end; ++w) {
        const T value = image[h * width + w];
        if (value <= largest || largest != largest) continue;
        largest = value;
        best = h * width + w;
      }
    }
    return best;
  }

  template <class T>
  LOCI_INLINE static void add_strip(const PoolGeometry& geometry, const sdk::WindowRange& row,
                                    const T* image, std::int64_t first, std::int64_t count,
                                    const T* out_grad, double* sums) {
    const std::int64_t corner = row.begin * geometry.width + geometry.width_axis.begin(first);
    std::int32_t places[kStrip];
    switch (geometry.width_axis.stride) {
      case 1: find_all<1>(geometry, row, image + corner, count, places); break;
      case 2: find_all<2>(geometry, row, image + corner, count, places); break;
      default: find_all<0>(geometry, row, image + corner, count, places); break;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      sums[corner + places[i]] += static_cast<double>(out_grad[i]);
    }
  }

  // Places count from the first element of the first window, which is at `image`. `fixed` is the
  // stride if it is known here, else 0.
  template <int fixed, class T>
  LOCI_INLINE static void find_all(const PoolGeometry& geometry, const sdk::WindowRange& row,
                                   const T* image, std::int64_t count, std::int32_t* places) {
    const auto stride = static_cast<std::int32_t>(fixed != 0 ? fixed : geometry.width_axis.stride);
    const auto windows = static_cast<std::int32_t>(count);
    T largest[kStrip];
#pragma omp simd
    for (std::int32_t o = 0; o < windows; ++o) {
      largest[o] = image[o * stride];
      places[o] = o * stride;
    }
    for (std::int64_t h = 0; h < row.size(); ++h) {
      for (std::int64_t k = h == 0 ? 1 : 0; k < geometry.width_axis.kernel; ++k) {
        const auto offset = static_cast<std::int32_t>(h * geometry.width + k);
        const T* tap = image + offset;
#pragma omp simd
        for (std::int32_t o = 0; o < windows; ++o) {
          const T value = tap[o * stride];
          const bool is_larger = !(value <= largest[o]) && largest[o] == largest[o];
          largest[o] = is_larger ? value : largest[o];
          places[o] = is_larger ? offset + o * stride : places[o];
        }
      }
    }
  }
};

}  // namespace loci::kernels
