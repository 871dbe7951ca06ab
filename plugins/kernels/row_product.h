// Few rows times a matrix that is read once: as fast as memory gives it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/dense_product.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"

namespace loci::kernels {

// Rows of y are added to the rows of the result, eight at a time and from left to right, as the
// processor fetches ahead; the result stays in the nearest cache meanwhile. A strip of columns at a
// time, which keeps sums in registers, took twice as long for a matrix of 16 MiB.
template <class T>
struct RowProduct {
  static constexpr std::int64_t kMostRows = 3;  // of x: each reads all of y
  static constexpr std::int64_t kTogether = 8;  // rows of y
  static constexpr std::int64_t kLeastColumns = 32;
  static constexpr std::int64_t kStrip = 64;

  static bool suits(const Products& shape) {
    return shape.sizes.m <= kMostRows && shape.y_column == 1 && shape.sizes.n >= kLeastColumns;
  }

  void launch(const sdk::Launch& launch) const {
    const auto& sizes = shape.sizes;
    const std::int64_t strips = (sizes.n + kStrip - 1) / kStrip;
    host->parallel_for(
        0, sizes.batch * strips, grain(strips), [&](std::int64_t begin, std::int64_t end) {
          run_widest([&](auto) LOCI_INLINE {
            while (begin < end) {
              const std::int64_t batch = begin / strips;
              const std::int64_t last = std::min(end, (batch + 1) * strips);
              multiply(product_of<T>(launch, shape, batch), (begin - batch * strips) * kStrip,
                       std::min((last - batch * strips) * kStrip, sizes.n));
              begin = last;
            }
          });
        });
  }

  // Returns strips for a task: pieces of rows that are too short would not be fetched ahead.
  [[nodiscard]] std::int64_t grain(std::int64_t strips) const {
    constexpr std::int64_t kLeastRun = 16;
    const std::int64_t per_strip = 20 * sizeof(T) * shape.sizes.m * shape.sizes.k * kStrip;
    const std::int64_t even = strips / std::max<std::int64_t>(host->parallel_width(), 1);
    return std::max({grain_for(per_strip), std::min(kLeastRun, strips), even});
  }

  LOCI_INLINE void multiply(const Dense<T>& product, std::int64_t begin, std::int64_t end) const {
    const std::int64_t depth = shape.sizes.k;
    for (std::int64_t m = 0; m < shape.sizes.m; ++m) {
      T* out = product.out + m * product.columns;
      std::fill(out + begin, out + end, T{});
      std::int64_t k = 0;
      for (; k + kTogether <= depth; k += kTogether) add<kTogether>(product, m, k, begin, end);
      for (; k < depth; ++k) add<1>(product, m, k, begin, end);
    }
  }

  template <std::int64_t count>
  LOCI_INLINE void add(const Dense<T>& product, std::int64_t m, std::int64_t k, std::int64_t begin,
                       std::int64_t end) const {
    T factor[count];
    const T* row[count];
    for (std::int64_t i = 0; i < count; ++i) {
      factor[i] = product.a(m, k + i);
      row[i] = product.y + (k + i) * product.y_row;
    }
    T* out = product.out + m * product.columns;
#pragma omp simd
    for (std::int64_t n = begin; n < end; ++n) {
      T sum{};
      for (std::int64_t i = 0; i < count; ++i) sum += factor[i] * row[i][n];
      out[n] += sum;
    }
  }

  const sdk::Host* host;
  Products shape;
};

}  // namespace loci::kernels
