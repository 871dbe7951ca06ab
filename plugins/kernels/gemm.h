// Blocked matrix products over operands that are read element by element, so that one routine
// serves dense, transposed and gathered (convolution) operands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <loci/plugin/host.hpp>
#include <loci/plugin/matmul.hpp>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

// How a product is cut. A tile of the result, [tile_m, tile_n], is one work item; it is summed up
// over blocks of kBlockK, for which both operands are packed into panels.
template <class Acc>
struct GemmPlan {
  static constexpr std::int64_t kPanelM = 6;  // with two vectors of columns: 12 accumulators
  static constexpr std::int64_t kTileM = 96;
  static constexpr std::int64_t kTileN = 256;
  static constexpr std::int64_t kBlockK = 1024 / static_cast<std::int64_t>(sizeof(Acc));
  static constexpr std::int64_t kMaxPanelN = 128 / static_cast<std::int64_t>(sizeof(Acc));

  GemmPlan() = default;
  GemmPlan(const sdk::MatmulSizes& sizes, std::uint32_t width) : shape(sizes) {
    const auto round_up = [](std::int64_t value, std::int64_t unit) {
      return (value + unit - 1) / unit * unit;
    };
    tile_m = std::min(kTileM, round_up(shape.m, kPanelM));
    tile_n = std::min(kTileN, round_up(shape.n, kMaxPanelN));
    block_k = std::min(kBlockK, std::max<std::int64_t>(shape.k, 1));
    tiles_m = (shape.m + kTileM - 1) / kTileM;
    tiles_n = (shape.n + kTileN - 1) / kTileN;
    // A few microseconds of work for each thread at least.
    constexpr double kWorthwhile = 200'000;
    const double worthwhile = shape.multiplications() / kWorthwhile;
    slots =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(std::min(worthwhile, 1e6)), 1, width);
    slots = std::clamp<std::int64_t>(items(), 1, slots);
  }

  [[nodiscard]] std::int64_t items() const { return shape.batch * tiles_m * tiles_n; }
  // Elements of workspace for one slot: both packed blocks and the tile.
  [[nodiscard]] std::int64_t slot_size() const {
    return (tile_m + tile_n) * block_k + tile_m * tile_n + kAlignment;
  }
  [[nodiscard]] std::uint64_t workspace_bytes() const {
    return static_cast<std::uint64_t>(slots * (slot_size() + kAlignment)) * sizeof(Acc);
  }
  static constexpr std::int64_t kAlignment = 64 / static_cast<std::int64_t>(sizeof(Acc));

  sdk::MatmulSizes shape;
  std::int64_t tile_m = 0;
  std::int64_t tile_n = 0;
  std::int64_t block_k = 0;
  std::int64_t tiles_m = 0;
  std::int64_t tiles_n = 0;
  std::int64_t slots = 1;  // work items in flight, each with workspace of its own
};

namespace detail {

template <int bytes, class Acc>
struct VectorOf {
  typedef Acc type __attribute__((vector_size(bytes)));  // NOLINT: an alias drops the attribute
};

template <class V, class Acc>
LOCI_INLINE inline void load(V& vector, const Acc* from) {
  std::memcpy(&vector, from, sizeof vector);
}

// panel[k][unit] = element(index + u, k), zero beyond `count`.
template <std::int64_t unit, class Acc, class Element>
LOCI_INLINE inline void pack_panel(Acc* panel, std::int64_t count, std::int64_t block_k,
                                   const Element& element) {
  if (count >= unit) {
    for (std::int64_t k = 0; k < block_k; ++k) {
      for (std::int64_t u = 0; u < unit; ++u) panel[k * unit + u] = element(u, k);
    }
    return;
  }
  for (std::int64_t k = 0; k < block_k; ++k) {
    for (std::int64_t u = 0; u < unit; ++u) panel[k * unit + u] = u < count ? element(u, k) : Acc{};
  }
}

// Rows of a from `row` on, from column k0 on; a matrix that knows a faster way has pack_rows().
template <std::int64_t unit, class Acc, class Matrix>
LOCI_INLINE inline void pack_rows(Acc* panel, const Matrix& matrix, std::int64_t row,
                                  std::int64_t count, std::int64_t k0, std::int64_t block_k) {
  if constexpr (requires { matrix.template pack_rows<unit>(panel, row, k0, block_k); }) {
    if (count >= unit && matrix.template pack_rows<unit>(panel, row, k0, block_k)) return;
  }
  pack_panel<unit>(panel, count, block_k, [&](std::int64_t u, std::int64_t k) LOCI_INLINE {
    return matrix.a(row + u, k0 + k);
  });
}

// Columns of b from `column` on, from row k0 on; the same with pack_columns().
template <std::int64_t unit, class Acc, class Matrix>
LOCI_INLINE inline void pack_columns(Acc* panel, const Matrix& matrix, std::int64_t column,
                                     std::int64_t count, std::int64_t k0, std::int64_t block_k) {
  if constexpr (requires { matrix.template pack_columns<unit>(panel, column, k0, block_k); }) {
    if (count >= unit && matrix.template pack_columns<unit>(panel, column, k0, block_k)) return;
  }
  pack_panel<unit>(panel, count, block_k, [&](std::int64_t u, std::int64_t k) LOCI_INLINE {
    return matrix.b(k0 + k, column + u);
  });
}

// Multiplies an element of a with a vector of b and adds the product.
struct MultiplyAdd {
  template <class V, class Acc>
  LOCI_INLINE static void add(V& sum, Acc a, const V& b) {
    sum += a * b;
  }
};
template <class Matrix>
struct StepOf {
  using type = MultiplyAdd;
};
template <class Matrix>
requires requires { typename Matrix::Step; }
struct StepOf<Matrix> {
  using type = typename Matrix::Step;
};

// tile[6][panel_n] (+)= the product of two panels; accumulators stay in registers.
template <int bytes, class Step, class Acc>
LOCI_INLINE inline void multiply_panels(Acc* tile, std::int64_t tile_stride, const Acc* a,
                                        const Acc* b, std::int64_t block_k, bool first) {
  using V = typename VectorOf<bytes, Acc>::type;
  constexpr std::int64_t kRows = GemmPlan<Acc>::kPanelM;
  constexpr std::int64_t kLanes = bytes / static_cast<std::int64_t>(sizeof(Acc));
  V left[kRows] = {};
  V right[kRows] = {};
  for (std::int64_t k = 0; k < block_k; ++k) {
    V b0;
    V b1;
    load(b0, b + k * 2 * kLanes);
    load(b1, b + k * 2 * kLanes + kLanes);
    for (std::int64_t row = 0; row < kRows; ++row) {
      const Acc value = a[k * kRows + row];
      Step::add(left[row], value, b0);
      Step::add(right[row], value, b1);
    }
  }
  for (std::int64_t row = 0; row < kRows; ++row) {
    Acc* target = tile + row * tile_stride;
    if (!first) {
      V old0;
      V old1;
      load(old0, target);
      load(old1, target + kLanes);
      left[row] += old0;
      right[row] += old1;
    }
    std::memcpy(target, &left[row], sizeof(V));
    std::memcpy(target + kLanes, &right[row], sizeof(V));
  }
}

// A panel of columns, of 2 * bytes, times all panels of rows of a tile.
template <class Acc>
struct PanelColumn {
  Acc* tile;  // its first row, from the panel's columns on
  std::int64_t tile_stride;
  const Acc* packed_a;
  const Acc* panel;
  std::int64_t rows;
  std::int64_t block_k;
  bool first;
};

template <int bytes, class Step, class Acc>
LOCI_INLINE inline void multiply_column(const PanelColumn<Acc>& column) {
  constexpr std::int64_t kRows = GemmPlan<Acc>::kPanelM;
  for (std::int64_t m = 0; m < column.rows; m += kRows) {
    multiply_panels<bytes, Step>(column.tile + m * column.tile_stride, column.tile_stride,
                                 column.packed_a + m * column.block_k, column.panel, column.block_k,
                                 column.first);
  }
}

// Out of line, so that operands of all kinds share the loop that is worth its size.
template <class Step, class Acc>
__attribute__((noinline)) void multiply_column(const PanelColumn<Acc>& column) {
  run_widest([&](auto width)
                 LOCI_INLINE { multiply_column<decltype(width)::kBytes, Step>(column); });
}

// One tile of one product. Matrix: `Acc a(m, k) const`, `Acc b(k, n) const`,
// `void store(m, n, Acc) const`, always inline; `Step` where elements are not
// just multiplied, pack_rows() and pack_columns() where it knows better.
template <int bytes, class Acc, class Matrix>
LOCI_INLINE inline void compute_tile(const GemmPlan<Acc>& plan, const Matrix& matrix,
                                     std::int64_t m0, std::int64_t n0, Acc* memory) {
  constexpr std::int64_t kPanelM = GemmPlan<Acc>::kPanelM;
  constexpr std::int64_t kPanelN = 2 * bytes / static_cast<std::int64_t>(sizeof(Acc));
  const std::int64_t rows = std::min(plan.tile_m, plan.shape.m - m0);
  const std::int64_t columns = std::min(plan.tile_n, plan.shape.n - n0);
  Acc* packed_b = memory;
  Acc* tile = packed_b + plan.tile_n * plan.block_k;
  Acc* packed_a = tile + plan.tile_m * plan.tile_n;

  for (std::int64_t k0 = 0; k0 < plan.shape.k; k0 += plan.block_k) {
    const std::int64_t block_k = std::min(plan.block_k, plan.shape.k - k0);
    for (std::int64_t m = 0; m < rows; m += kPanelM) {
      pack_rows<kPanelM>(packed_a + m * block_k, matrix, m0 + m, rows - m, k0, block_k);
    }
    for (std::int64_t n = 0; n < columns; n += kPanelN) {
      Acc* panel = packed_b + n * block_k;
      pack_columns<kPanelN>(panel, matrix, n0 + n, columns - n, k0, block_k);
      multiply_column<typename StepOf<Matrix>::type>(
          PanelColumn<Acc>{tile + n, plan.tile_n, packed_a, panel, rows, block_k, k0 == 0});
    }
  }
  for (std::int64_t m = 0; m < rows; ++m) {
    const Acc* line = tile + m * plan.tile_n;
    for (std::int64_t n = 0; n < columns; ++n) matrix.store(m0 + m, n0 + n, line[n]);
  }
}

}  // namespace detail

// All products; needs k >= 1. `matrix_of(batch)` gives a Matrix as above; `workspace` has
// plan.workspace_bytes(), 64-byte aligned.
template <class Acc, class MatrixOf>
void multiply(const sdk::Host& host, const GemmPlan<Acc>& plan, Acc* workspace,
              const MatrixOf& matrix_of) {
  const std::int64_t per_product = plan.tiles_m * plan.tiles_n;
  constexpr std::int64_t kUnit = GemmPlan<Acc>::kAlignment;
  const std::int64_t slot_size = (plan.slot_size() + kUnit - 1) / kUnit * kUnit;
  const auto run_slot = [&](std::int64_t slot) {
    Acc* memory = workspace + slot * slot_size;
    for (std::int64_t item = slot; item < plan.items(); item += plan.slots) {
      const auto matrix = matrix_of(item / per_product);
      const std::int64_t tile = item % per_product;
      const std::int64_t m0 = tile / plan.tiles_n * plan.tile_m;
      const std::int64_t n0 = tile % plan.tiles_n * plan.tile_n;
      run_widest([&](auto width) LOCI_INLINE {
        detail::compute_tile<decltype(width)::kBytes>(plan, matrix, m0, n0, memory);
      });
    }
  };
  host.parallel_for(0, plan.slots, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t slot = begin; slot < end; ++slot) run_slot(slot);
  });
}

// Rows [0, m) and columns [n_begin, n_end) of one product without packing, for small ones and those
// with few rows. Sums are added up in blocks, which keeps rounding errors from piling up.
template <class Acc, class Matrix>
LOCI_INLINE inline void multiply_small(const Matrix& matrix, std::int64_t m, std::int64_t n_begin,
                                       std::int64_t n_end, std::int64_t k) {
  constexpr std::int64_t kStrip = 64;
  constexpr std::int64_t kBlock = 128;
  for (std::int64_t n0 = n_begin; n0 < n_end; n0 += kStrip) {
    const std::int64_t columns = std::min(kStrip, n_end - n0);
    for (std::int64_t row = 0; row < m; ++row) {
      Acc total[kStrip] = {};
      for (std::int64_t k0 = 0; k0 < k; k0 += kBlock) {
        Acc sums[kStrip] = {};
        for (std::int64_t i = k0; i < std::min(k0 + kBlock, k); ++i) {
          const Acc value = matrix.a(row, i);
#pragma omp simd
          for (std::int64_t c = 0; c < columns; ++c) sums[c] += value * matrix.b(i, n0 + c);
        }
        for (std::int64_t c = 0; c < columns; ++c) total[c] += sums[c];
      }
      for (std::int64_t c = 0; c < columns; ++c) matrix.store(row, n0 + c, total[c]);
    }
  }
}

}  // namespace loci::kernels
