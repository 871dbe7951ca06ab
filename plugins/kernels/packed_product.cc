#include "plugins/kernels/packed_product.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "plugins/kernels/activation_choice.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/half_convert.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/packed_strip.h"
#include "plugins/kernels/transpose_squares.h"

namespace loci::kernels {
namespace {

// Rows of x that go through all panels of a group before the next rows come.
constexpr std::int64_t kTileRows = 84;
// Multiplications that are worth a thread.
constexpr double kWorthwhile = 200'000;

template <class Visitor>
void visit_half(loci_dtype dtype, const Visitor& visitor) {
  if (dtype == LOCI_DTYPE_BF16) return visitor(sdk::Tag<sdk::bf16>());
  visitor(sdk::Tag<sdk::f16>());
}

// A packed matrix as float32, where strips read it: halves are converted in the cache.
class PanelReader {
 public:
  PanelReader(const PackedMatrix& matrix, const void* packed) : matrix_(matrix), packed_(packed) {}

  // That many panels from `panel` on, of the block from k0 on; valid until the next call.
  const float* read(std::int64_t k0, std::int64_t panel, std::int64_t count) {
    const std::int64_t offset = matrix_.offset(k0, panel);
    if (!matrix_.is_half()) return static_cast<const float*>(packed_) + offset;
    visit_half(matrix_.dtype, [&](auto half) {
      using Half = typename decltype(half)::type;
      widen(static_cast<const Half*>(packed_) + offset, wide_,
            matrix_.block_rows(k0) * columns_of(panel, count));
    });
    return wide_;
  }

 private:
  static constexpr std::int64_t kMostWidth = 32;  // two vectors of 64 bytes

  [[nodiscard]] std::int64_t columns_of(std::int64_t panel, std::int64_t count) const {
    return std::min(count * matrix_.width, matrix_.padded() - panel * matrix_.width);
  }

  const PackedMatrix& matrix_;
  const void* packed_;
  alignas(64) float wide_[kMostPanelsAtOnce * PackedMatrix::kMostHalfBlock * kMostWidth];
};

// The operands of a product, as float32 but for the packed matrix.
struct Operands {
  const PackedProduct& product;
  const float* x;
  std::int64_t x_row;
  const void* packed;
  float* out;
  RowEpilogue epilogue;  // what is done as sums are written
};

// Rows from m0 on, times the panels [first, last).
struct Tile {
  std::int64_t m0;
  std::int64_t rows;
  std::int64_t first;
  std::int64_t last;
};

template <class T>
const T* moved(const T* pointer, std::int64_t by) {
  return pointer == nullptr ? nullptr : pointer + by;
}

RowEpilogue at(const RowEpilogue& epilogue, std::int64_t position, std::int64_t column) {
  return {moved(epilogue.bias, column), moved(epilogue.residual, position), epilogue.activation,
          moved(epilogue.factor, column)};
}

// Returns what strip number `strip` fetches of the panels behind the given ones of `elements`.
LOCI_INLINE inline const float* fetched_by(const float* panels, std::int64_t elements,
                                           std::int64_t strip, std::int64_t rows) {
  if (rows <= kFewRows) return panels + elements;
  return strip < kFetchingStrips ? panels + elements + strip * (elements / kFetchingStrips)
                                 : panels;
}

template <int bytes>
LOCI_INLINE inline void multiply_tile(const Operands& operands, const Tile& tile,
                                      PanelReader& reader) {
  const PackedMatrix& y = operands.product.y;
  constexpr std::int64_t kRows = kMostRows<bytes>;
  const std::int64_t strips = (tile.rows + kRows - 1) / kRows;
  const bool is_plain = operands.epilogue.does_nothing();
  for (std::int64_t k0 = 0; k0 < y.k; k0 += y.block) {
    const std::int64_t block = y.block_rows(k0);
    for (std::int64_t panel = tile.first; panel < tile.last;) {
      const std::int64_t wide = std::min(tile.last, y.padded() / y.width) - panel;
      const std::int64_t taken = strips == 1 ? panels_at_once(tile.rows, wide) : 1;
      const float* panels = reader.read(k0, panel, taken);
      const std::int64_t column = panel * y.width;
      for (std::int64_t i = 0, row = tile.m0; i < strips; ++i) {
        // Strips are as even as can be: few rows make little use of what is loaded.
        const std::int64_t count = (tile.m0 + tile.rows - row) / (strips - i);
        const std::int64_t position = row * y.n + column;
        const bool is_last = k0 + block == y.k;
        multiply_some<bytes>(
            {operands.x + row * operands.x_row + k0, operands.x_row, panels, block,
             operands.out + position, y.n, y.n - column, k0 == 0,
             is_last ? at(operands.epilogue, position, column) : RowEpilogue(),
             !is_last || is_plain, fetched_by(panels, taken * block * y.width, i, tile.rows)},
            count, y.width_of(panel), taken);
        row += count;
      }
      panel += taken;
    }
  }
}

// Finishes the tile that multiply_tile() has multiplied.
void finish_tile(const PackedProduct& product, const RowEpilogue& epilogue, float* out,
                 const Tile& tile) {
  const PackedMatrix& y = product.y;
  const std::int64_t column = tile.first * y.width;
  finish_rows(epilogue, out, y.n, tile.m0, tile.rows, column,
              std::min(tile.last * y.width, y.n) - column);
}

// Rows that a strip has at most, on this processor.
std::int64_t rows_at_once() {
  std::int64_t rows = 0;
  run_widest([&](auto vector) LOCI_INLINE { rows = kMostRows<decltype(vector)::kBytes>; });
  return rows;
}

// An epilogue in two: what is done as sums are written, and then, in its own loop, what is left.
struct Steps {
  explicit Steps(const RowEpilogue& epilogue) : first(epilogue) {
    if (!is_smooth(epilogue.activation)) return;
    first.activation = Activation::kNone;
    rest.activation = epilogue.activation;
  }
  RowEpilogue first;
  RowEpilogue rest;
};

// How the result is cut: tiles of rows times groups of panels.
struct Cut {
  Cut(const PackedProduct& product, std::int64_t threads) {
    // A group's block and the tile's rows stay in the second cache.
    constexpr std::int64_t kMostPanels = 16;
    // Pieces for each thread: one that comes late leaves its own to the others.
    constexpr std::int64_t kPiecesEach = 4;
    const std::int64_t panels = product.y.panels();
    set_tile_rows(product, (product.m + kTileRows - 1) / kTileRows);
    const std::int64_t wanted = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::min(work(product) / kWorthwhile, 1e6)), 1,
        threads == 1 ? 1 : kPiecesEach * threads);
    const std::int64_t groups_wanted = (wanted + tiles - 1) / tiles;
    group = std::min(kMostPanels, (panels + groups_wanted - 1) / groups_wanted);
    groups = (panels + group - 1) / group;
    if (wanted > 1 && is_uneven(threads)) set_tile_rows(product, 2 * tiles);
    grain = std::max<std::int64_t>(tiles * groups / wanted, 1);
  }

  // In multiplications: to read an element of the matrix takes as long as some.
  static double work(const PackedProduct& product) {
    constexpr double kReading = 4;
    return (static_cast<double>(product.m) + kReading) * static_cast<double>(product.y.k) *
           static_cast<double>(product.y.n);
  }

  // Makes tiles of whole strips, about so many of them.
  void set_tile_rows(const PackedProduct& product, std::int64_t about) {
    const std::int64_t strip = rows_at_once();
    tile_rows = ((product.m + about - 1) / about + strip - 1) / strip * strip;
    tiles = (product.m + tile_rows - 1) / tile_rows;
  }

  // Returns true if threads wait for the last one for long.
  [[nodiscard]] bool is_uneven(std::int64_t threads) const {
    const std::int64_t rounds = (tiles * groups + threads - 1) / threads;
    return 10 * tiles * groups < 9 * rounds * threads;
  }

  [[nodiscard]] Tile tile(std::int64_t index, const PackedProduct& product) const {
    const std::int64_t m0 = index / groups * tile_rows;
    const std::int64_t first = index % groups * group;
    return {m0, std::min(tile_rows, product.m - m0), first,
            std::min(first + group, product.y.panels())};
  }

  std::int64_t tiles;
  std::int64_t tile_rows;
  std::int64_t group;  // panels
  std::int64_t groups;
  std::int64_t grain;  // of a loop over all
};

// Where a matrix begins, and the elements from one of its rows and columns to the next.
template <class T>
struct Corner {
  const T* first;
  std::int64_t row;
  std::int64_t column;
};

template <class T>
void copy_line(const T* from, std::int64_t step, std::int64_t count, T* to) {
  if (step == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * step];
}

// `columns` of the panel are the matrix's, the others zeros.
template <class T>
void pack_panel(const Corner<T>& from, std::int64_t rows, std::int64_t columns, std::int64_t width,
                T* panel) {
  if (std::is_same_v<T, float> && from.row == 1) {
    transpose(reinterpret_cast<const float*>(from.first), from.column, columns, rows,
              reinterpret_cast<float*>(panel), width);
  } else {
    for (std::int64_t k = 0; k < rows; ++k) {
      copy_line(from.first + k * from.row, from.column, columns, panel + k * width);
    }
  }
  if (columns == width) return;
  for (std::int64_t k = 0; k < rows; ++k) {
    std::fill(panel + k * width + columns, panel + (k + 1) * width, T(0.0F));
  }
}

template <class T>
void pack_elements(const PackedMatrix& matrix, const Corner<T>& y, T* packed) {
  for (std::int64_t k0 = 0; k0 < matrix.k; k0 += matrix.block) {
    for (std::int64_t panel = 0; panel < matrix.panels(); ++panel) {
      const std::int64_t n0 = panel * matrix.width;
      pack_panel<T>({y.first + k0 * y.row + n0 * y.column, y.row, y.column}, matrix.block_rows(k0),
                    std::min(matrix.width, matrix.n - n0), matrix.width_of(panel),
                    packed + matrix.offset(k0, panel));
    }
  }
}

// Out of line: one for all dtypes.
__attribute__((noinline)) void multiply_tile(const Operands& operands, const Tile& tile,
                                             PanelReader& reader) {
  run_widest([&](auto vector)
                 LOCI_INLINE { multiply_tile<decltype(vector)::kBytes>(operands, tile, reader); });
}

// Calls finish(tile) for each tile of the result that is done.
template <class Finish>
void multiply(const sdk::Host& host, const Operands& operands, const Finish& finish) {
  const Cut cut(operands.product, host.parallel_width());
  host.parallel_for(0, cut.tiles * cut.groups, cut.grain,
                    [&](std::int64_t begin, std::int64_t end) {
                      PanelReader reader(operands.product.y, operands.packed);
                      for (std::int64_t i = begin; i < end; ++i) {
                        const Tile tile = cut.tile(i, operands.product);
                        multiply_tile(operands, tile, reader);
                        finish(tile);
                      }
                    });
}

// Dense.
template <class Half>
void widen_rows(const sdk::Host& host, const PackedProduct& product, const Half* x, float* wide) {
  const std::int64_t k = product.y.k;
  host.parallel_for(0, product.m, grain_for(150 * k), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      widen(x + row * product.x_row, wide + row * k, k);
    }
  });
}

template <class Half>
void narrow_tile(const PackedProduct& product, const Tile& tile, const float* wide, Half* out) {
  const std::int64_t begin = tile.first * product.y.width;
  const std::int64_t end = std::min(tile.last * product.y.width, product.y.n);
  for (std::int64_t row = tile.m0; row < tile.m0 + tile.rows; ++row) {
    const std::int64_t offset = row * product.y.n + begin;
    narrow(wide + offset, out + offset, end - begin);
  }
}

template <class Half>
void multiply_halves(const sdk::Host& host, const PackedProduct& product, const Half* x,
                     const void* packed, Half* out, float* workspace) {
  float* wide_x = workspace + product.m * product.y.n;
  widen_rows(host, product, x, wide_x);
  multiply(host, {product, wide_x, product.y.k, packed, workspace, {}},
           [&](const Tile& tile) { narrow_tile(product, tile, workspace, out); });
}

}  // namespace

std::int64_t panel_width() {
  std::int64_t width = 0;
  run_widest([&](auto vector) LOCI_INLINE {
    width = 2 * decltype(vector)::kBytes / static_cast<std::int64_t>(sizeof(float));
  });
  return width;
}

void pack(const PackedMatrix& matrix, const void* y, std::int64_t row, std::int64_t column,
          void* packed) {
  const auto pack_as = [&](auto tag) {
    using T = typename decltype(tag)::type;
    pack_elements<T>(matrix, {static_cast<const T*>(y), row, column}, static_cast<T*>(packed));
  };
  matrix.is_half() ? visit_half(matrix.dtype, pack_as) : pack_as(sdk::Tag<float>());
}

std::uint64_t PackedProduct::workspace_bytes() const {
  return y.is_half() ? static_cast<std::uint64_t>(m * (y.k + y.n)) * sizeof(float) : 0;
}

void multiply_packed(const sdk::Host& host, const PackedProduct& product, const void* x,
                     const void* packed, void* out, void* workspace, const RowEpilogue& epilogue) {
  if (!product.y.is_half()) {
    auto* result = static_cast<float*>(out);
    const Steps steps(epilogue);
    return multiply(
        host, {product, static_cast<const float*>(x), product.x_row, packed, result, steps.first},
        [&](const Tile& tile) {
          if (!steps.rest.does_nothing()) finish_tile(product, steps.rest, result, tile);
        });
  }
  visit_half(product.y.dtype, [&](auto half) {
    using Half = typename decltype(half)::type;
    multiply_halves(host, product, static_cast<const Half*>(x), packed, static_cast<Half*>(out),
                    static_cast<float*>(workspace));
  });
}

void multiply_packed_here(const PackedProduct& product, const float* x, const float* packed,
                          float* out) {
  PanelReader reader(product.y, packed);
  const Operands operands{product, x, product.x_row, packed, out, {}};
  for (std::int64_t row = 0; row < product.m; row += kTileRows) {
    multiply_tile(operands, {row, std::min(kTileRows, product.m - row), 0, product.y.panels()},
                  reader);
  }
}

}  // namespace loci::kernels
