#include "plugins/kernels/half_product.h"

#include <algorithm>
#include <cstring>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/half_convert.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/summation.h"

namespace loci::kernels {
namespace {

using sdk::Launch;

__attribute__((noinline)) float dot(const float* x, const float* y, std::int64_t count) {
  float sum = 0;
  run_widest([&](auto) LOCI_INLINE {
    sum = sum_terms<float>(count, [=](std::int64_t i) LOCI_INLINE { return x[i] * y[i]; });
  });
  return sum;
}

// Rows of x times columns of y that both lie side by side, a block of each at a time.
template <class Half>
struct HalfDots {
  static constexpr std::int64_t kBlock = 2048;

  void launch(const Launch& launch) const {
    const auto& sizes = shape.sizes;
    const std::int64_t per_product = sizes.m * sizes.n;
    const std::int64_t grain = grain_for(300 * std::max<std::int64_t>(sizes.k, 16));
    host->parallel_for(0, sizes.batch * per_product, grain,
                       [&](std::int64_t begin, std::int64_t end) {
                         Column column;
                         for (std::int64_t i = begin; i < end; ++i) {
                           const auto product = product_of<Half>(launch, shape, i / per_product);
                           const std::int64_t m = i % per_product / sizes.n;
                           const std::int64_t n = i % sizes.n;
                           product.store(m, n, Half(sum(product, m, n, column)));
                         }
                       });
  }

  // A column's block, which the next rows may need again.
  struct Column {
    const Half* first = nullptr;
    alignas(64) float wide[kBlock];
  };

  float sum(const Dense<Half>& product, std::int64_t m, std::int64_t n, Column& column) const {
    alignas(64) float x[kBlock];
    float total = 0;
    for (std::int64_t k0 = 0; k0 < shape.sizes.k; k0 += kBlock) {
      const std::int64_t count = std::min(kBlock, shape.sizes.k - k0);
      widen(product.x + m * product.x_row + k0, x, count);
      const Half* first = product.y + n * product.y_column + k0;
      if (column.first != first) widen(first, column.wide, count);
      column.first = first;
      total += dot(x, column.wide, count);
    }
    return total;
  }

  const sdk::Host* host;
  Products shape;
};

// Columns that are added up at the same time, as vectors of any processor.
constexpr std::int64_t kLanes = 16;
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float))));  // NOLINT: using drops it

// Rows and columns of y in float32 at a time: 16 KiB.
constexpr std::int64_t kDepth = 32;
constexpr std::int64_t kStrip = 128;

// totals[c] += x[k] * y[k][c], for `depth` rows of y.
__attribute__((noinline)) void add_rows(const float* x, const float* y, std::int64_t depth,
                                        float* totals) {
  run_widest([&](auto) LOCI_INLINE {
    for (std::int64_t c = 0; c < kStrip; c += 2 * kLanes) {
      Lanes left = {};
      Lanes right = {};
      for (std::int64_t k = 0; k < depth; ++k) {
        Lanes a;
        Lanes b;
        std::memcpy(&a, y + k * kStrip + c, sizeof a);
        std::memcpy(&b, y + k * kStrip + c + kLanes, sizeof b);
        left += x[k] * a;
        right += x[k] * b;
      }
      for (std::int64_t i = 0; i < kLanes; ++i) totals[c + i] += left[i];
      for (std::int64_t i = 0; i < kLanes; ++i) totals[c + kLanes + i] += right[i];
    }
  });
}

// A few rows of x times a matrix whose rows lie side by side: strips of its columns.
template <class Half>
struct HalfStrips {
  static constexpr std::int64_t kMostRows = 3;

  void launch(const Launch& launch) const {
    const auto& sizes = shape.sizes;
    const std::int64_t strips = (sizes.n + kStrip - 1) / kStrip;
    const std::int64_t grain = grain_for(
        100 * std::max<std::int64_t>((sizes.m + 1) * sizes.k * std::min(kStrip, sizes.n), 16));
    host->parallel_for(0, sizes.batch * strips, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = i % strips * kStrip;
        run(product_of<Half>(launch, shape, i / strips), first, std::min(kStrip, sizes.n - first));
      }
    });
  }

  void run(const Dense<Half>& product, std::int64_t n0, std::int64_t columns) const {
    const std::int64_t rows = shape.sizes.m;
    float totals[kMostRows][kStrip] = {};
    float x[kMostRows][kDepth];
    alignas(64) float y[kDepth * kStrip] = {};  // zeros beyond the columns
    for (std::int64_t k0 = 0; k0 < shape.sizes.k; k0 += kDepth) {
      const std::int64_t depth = std::min(kDepth, shape.sizes.k - k0);
      for (std::int64_t k = 0; k < depth; ++k) {
        widen(product.y + (k0 + k) * product.y_row + n0, y + k * kStrip, columns);
        for (std::int64_t m = 0; m < rows; ++m) x[m][k] = product.a(m, k0 + k);
      }
      for (std::int64_t m = 0; m < rows; ++m) add_rows(x[m], y, depth, totals[m]);
    }
    for (std::int64_t m = 0; m < rows; ++m) {
      narrow(totals[m], product.out + m * product.columns + n0, columns);
    }
  }

  const sdk::Host* host;
  Products shape;
};

template <class Half>
bool emplace(sdk::Prepare& prepare, const Products& shape) {
  if (shape.is_of_runs()) {
    prepare.emplace<HalfDots<Half>>(&prepare.host(), shape);
    return true;
  }
  if (shape.sizes.m > HalfStrips<Half>::kMostRows || shape.y_column != 1) return false;
  prepare.emplace<HalfStrips<Half>>(&prepare.host(), shape);
  return true;
}

}  // namespace

bool emplace_half_product(sdk::Prepare& prepare, const Products& shape) {
  if (shape.is_large()) return false;
  return prepare.op().input(0).dtype() == LOCI_DTYPE_BF16 ? emplace<sdk::bf16>(prepare, shape)
                                                          : emplace<sdk::f16>(prepare, shape);
}

}  // namespace loci::kernels
