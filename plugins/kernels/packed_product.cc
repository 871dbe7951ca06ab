#include "plugins/kernels/packed_product.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/half_convert.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/transpose_squares.h"

namespace loci::kernels {
namespace {

// Sums that are added to at the same time: with two vectors for each row and panel as many as hide
// the latency of a multiply-add, and fit the registers beside what is multiplied.
constexpr int kMostRows = 6;
// Rows of x that go through all panels of a group before the next rows come.
constexpr std::int64_t kTileRows = 96;
// Multiplications that are worth a thread.
constexpr double kWorthwhile = 200'000;

template <int bytes>
struct VectorOf {
  typedef float type __attribute__((vector_size(bytes)));  // NOLINT: an alias drops the attribute
};

// Rows of x times panels that follow each other, in one block.
struct Strip {
  const float* x;
  std::int64_t x_row;
  const float* y;
  std::int64_t block_rows;
  float* out;
  std::int64_t out_row;
  std::int64_t columns;  // of the result: those of the last panel may end before it
  bool is_first;         // block: the result has nothing yet
};

template <class V>
LOCI_INLINE inline void load(V& vector, const float* from) {
  std::memcpy(&vector, from, sizeof vector);
}

// Adds to the result, or sets it; `count` columns of the vector are in it.
template <class V>
LOCI_INLINE inline void put(const V& sum, float* out, std::int64_t count, bool is_first) {
  constexpr std::int64_t kLanes = sizeof(V) / sizeof(float);
  if (count >= kLanes) {
    V total = sum;
    if (!is_first) {
      V before;
      load(before, out);
      total += before;
    }
    std::memcpy(out, &total, sizeof total);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) out[i] = is_first ? sum[i] : out[i] + sum[i];
}

template <int bytes, int rows, int panels>
LOCI_INLINE inline void multiply_strip(const Strip& strip) {
  using V = typename VectorOf<bytes>::type;
  constexpr std::int64_t kLanes = bytes / static_cast<std::int64_t>(sizeof(float));
  constexpr std::int64_t kWidth = 2 * kLanes;
  constexpr std::int64_t kUnroll = 4;
  const std::int64_t panel = strip.block_rows * kWidth;
  V sums[rows][2 * panels] = {};
  const auto step = [&](std::int64_t k) LOCI_INLINE {
    for (int p = 0; p < panels; ++p) {
      V left;
      V right;
      load(left, strip.y + p * panel + k * kWidth);
      load(right, strip.y + p * panel + k * kWidth + kLanes);
      for (int row = 0; row < rows; ++row) {
        const float x = strip.x[row * strip.x_row + k];
        sums[row][2 * p] += x * left;
        sums[row][2 * p + 1] += x * right;
      }
    }
  };
  std::int64_t k = 0;
  for (; k + kUnroll <= strip.block_rows; k += kUnroll) {
    for (std::int64_t i = 0; i < kUnroll; ++i) step(k + i);
  }
  for (; k < strip.block_rows; ++k) step(k);
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < 2 * panels; ++i) {
      put(sums[row][i], strip.out + row * strip.out_row + i * kLanes, strip.columns - i * kLanes,
          strip.is_first);
    }
  }
}

// Panels that the registers hold the sums of beside those of a few rows.
constexpr std::int64_t kMostPanelsAtOnce = 4;
std::int64_t panels_at_once(std::int64_t rows, std::int64_t panels) {
  const std::int64_t most = rows < 4 ? kMostPanelsAtOnce + 1 - rows : 1;
  return panels >= most ? most : 1;
}

// `panels` is panels_at_once() of that many rows.
template <int bytes>
LOCI_INLINE inline void multiply_some(const Strip& strip, std::int64_t rows, std::int64_t panels) {
  switch (rows) {
    case 1:
      return panels == 1 ? multiply_strip<bytes, 1, 1>(strip) : multiply_strip<bytes, 1, 4>(strip);
    case 2:
      return panels == 1 ? multiply_strip<bytes, 2, 1>(strip) : multiply_strip<bytes, 2, 3>(strip);
    case 3:
      return panels == 1 ? multiply_strip<bytes, 3, 1>(strip) : multiply_strip<bytes, 3, 2>(strip);
    case 4: return multiply_strip<bytes, 4, 1>(strip);
    case 5: return multiply_strip<bytes, 5, 1>(strip);
    default: return multiply_strip<bytes, 6, 1>(strip);
  }
}

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
            count * matrix_.block_rows(k0) * matrix_.width);
    });
    return wide_;
  }

 private:
  static constexpr std::int64_t kMostWidth = 32;  // two vectors of 64 bytes

  const PackedMatrix& matrix_;
  const void* packed_;
  alignas(64) float wide_[kMostPanelsAtOnce * PackedMatrix::kMostHalfBlock * kMostWidth];
};

// What is multiplied, as float32 but for the packed matrix.
struct Operands {
  const PackedProduct& product;
  const float* x;
  std::int64_t x_row;
  const void* packed;
  float* out;
};

// Rows from m0 on, times the panels [first, last).
struct Tile {
  std::int64_t m0;
  std::int64_t rows;
  std::int64_t first;
  std::int64_t last;
};

template <int bytes>
LOCI_INLINE inline void multiply_tile(const Operands& operands, const Tile& tile,
                                      PanelReader& reader) {
  const PackedMatrix& y = operands.product.y;
  const std::int64_t rows = tile.rows;
  const std::int64_t strips = (rows + kMostRows - 1) / kMostRows;
  for (std::int64_t k0 = 0; k0 < y.k; k0 += y.block) {
    for (std::int64_t panel = tile.first; panel < tile.last;) {
      const std::int64_t taken = strips == 1 ? panels_at_once(rows, tile.last - panel) : 1;
      const float* panels = reader.read(k0, panel, taken);
      for (std::int64_t i = 0, row = tile.m0; i < strips; ++i) {
        // As even as can be: few rows make little use of what is loaded.
        const std::int64_t count = (tile.m0 + rows - row) / (strips - i);
        const Strip strip{operands.x + row * operands.x_row + k0,
                          operands.x_row,
                          panels,
                          y.block_rows(k0),
                          operands.out + row * y.n + panel * y.width,
                          y.n,
                          y.n - panel * y.width,
                          k0 == 0};
        multiply_some<bytes>(strip, count, taken);
        row += count;
      }
      panel += taken;
    }
  }
}

// What was multiplied by multiply_tile().
void finish_tile(const PackedProduct& product, const RowEpilogue& epilogue, float* out,
                 const Tile& tile) {
  const PackedMatrix& y = product.y;
  const std::int64_t column = tile.first * y.width;
  finish_rows(epilogue, out, y.n, tile.m0, tile.rows, column,
              std::min(tile.last * y.width, y.n) - column);
}

// How the result is cut: tiles of rows times groups of panels.
struct Cut {
  Cut(const PackedProduct& product, std::int64_t threads) {
    // A group's block and the tile's rows stay in the second cache.
    constexpr std::int64_t kMostPanels = 16;
    // Pieces for each thread: one that comes late leaves its own to the others.
    constexpr std::int64_t kPiecesEach = 4;
    tiles = (product.m + kTileRows - 1) / kTileRows;
    tile_rows = (product.m + tiles - 1) / tiles;
    const std::int64_t panels = product.y.panels();
    const double multiplications = static_cast<double>(product.m) *
                                   static_cast<double>(product.y.k) *
                                   static_cast<double>(product.y.n);
    const std::int64_t wanted = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::min(multiplications / kWorthwhile, 1e6)), 1,
        threads == 1 ? 1 : kPiecesEach * threads);
    const std::int64_t groups_wanted = (wanted + tiles - 1) / tiles;
    group = std::min(kMostPanels, (panels + groups_wanted - 1) / groups_wanted);
    groups = (panels + group - 1) / group;
    grain = std::max<std::int64_t>(tiles * groups / wanted, 1);
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
                    std::min(matrix.width, matrix.n - n0), matrix.width,
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
  multiply(host, {product, wide_x, product.y.k, packed, workspace},
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
    return multiply(host, {product, static_cast<const float*>(x), product.x_row, packed, result},
                    [&](const Tile& tile) {
                      if (!epilogue.does_nothing()) finish_tile(product, epilogue, result, tile);
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
  const Operands operands{product, x, product.x_row, packed, out};
  for (std::int64_t row = 0; row < product.m; row += kTileRows) {
    multiply_tile(operands, {row, std::min(kTileRows, product.m - row), 0, product.y.panels()},
                  reader);
  }
}

}  // namespace loci::kernels
