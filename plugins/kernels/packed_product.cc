#include "plugins/kernels/packed_product.h"

#include <algorithm>
#include <cstring>

#include "plugins/kernels/isa.h"

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

// A few rows times a few panels, as many at once as the registers hold. Returns how many panels it
// took.
template <int bytes>
LOCI_INLINE inline std::int64_t multiply_some(const Strip& strip, std::int64_t rows,
                                              std::int64_t panels) {
  switch (rows) {
    case 1:
      if (panels >= 4) return multiply_strip<bytes, 1, 4>(strip), 4;
      return multiply_strip<bytes, 1, 1>(strip), 1;
    case 2:
      if (panels >= 3) return multiply_strip<bytes, 2, 3>(strip), 3;
      return multiply_strip<bytes, 2, 1>(strip), 1;
    case 3:
      if (panels >= 2) return multiply_strip<bytes, 3, 2>(strip), 2;
      return multiply_strip<bytes, 3, 1>(strip), 1;
    case 4: return multiply_strip<bytes, 4, 1>(strip), 1;
    case 5: return multiply_strip<bytes, 5, 1>(strip), 1;
    default: return multiply_strip<bytes, 6, 1>(strip), 1;
  }
}

// All of the product's columns in the panels [first, last), for rows from m0 on.
template <int bytes>
LOCI_INLINE inline void multiply_tile(const PackedProduct& product, const float* x,
                                      const float* packed, float* out, std::int64_t m0,
                                      std::int64_t first, std::int64_t last) {
  const PackedMatrix& y = product.y;
  const std::int64_t rows = std::min(kTileRows, product.m - m0);
  const std::int64_t strips = (rows + kMostRows - 1) / kMostRows;
  for (std::int64_t k0 = 0; k0 < y.k; k0 += y.block) {
    for (std::int64_t panel = first; panel < last;) {
      std::int64_t taken = 0;
      for (std::int64_t i = 0, row = 0; i < strips; ++i) {
        // As even as can be: few rows make little use of what is loaded.
        const std::int64_t count = (rows - row) / (strips - i);
        const Strip strip{x + (m0 + row) * product.x_row + k0,
                          product.x_row,
                          packed + y.offset(k0, panel),
                          y.block_rows(k0),
                          out + (m0 + row) * y.n + panel * y.width,
                          y.n,
                          y.n - panel * y.width,
                          k0 == 0};
        taken = multiply_some<bytes>(strip, count, strips == 1 ? last - panel : 1);
        row += count;
      }
      panel += taken;
    }
  }
}

// What was multiplied by multiply_tile().
void finish_tile(const PackedProduct& product, const RowEpilogue& epilogue, float* out,
                 std::int64_t m0, std::int64_t first, std::int64_t last) {
  const PackedMatrix& y = product.y;
  finish_rows(epilogue, out, y.n, m0, std::min(kTileRows, product.m - m0), first * y.width,
              std::min(last * y.width, y.n) - first * y.width);
}

// How the result is cut: tiles of rows times groups of panels.
struct Cut {
  Cut(const PackedProduct& product, std::int64_t threads) {
    // A group's block and the tile's rows stay in the second cache.
    constexpr std::int64_t kMostPanels = 16;
    tiles = (product.m + kTileRows - 1) / kTileRows;
    const std::int64_t panels = product.y.panels();
    const double multiplications = static_cast<double>(product.m) *
                                   static_cast<double>(product.y.k) *
                                   static_cast<double>(product.y.n);
    const std::int64_t wanted = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::min(multiplications / kWorthwhile, 1e6)), 1, threads);
    const std::int64_t groups_wanted = (wanted + tiles - 1) / tiles;
    group = std::min(kMostPanels, (panels + groups_wanted - 1) / groups_wanted);
    groups = (panels + group - 1) / group;
    grain = (tiles * groups + wanted - 1) / wanted;
  }
  std::int64_t tiles;
  std::int64_t group;  // panels
  std::int64_t groups;
  std::int64_t grain;  // of a loop over all
};

// Where a matrix begins, and the elements from one of its rows and columns to the next.
struct Corner {
  const float* first;
  std::int64_t row;
  std::int64_t column;
};

// `columns` of the panel are the matrix's, the others zeros.
void pack_panel(const Corner& from, std::int64_t rows, std::int64_t columns, std::int64_t width,
                float* panel) {
  for (std::int64_t k = 0; k < rows; ++k) {
    for (std::int64_t n = 0; n < columns; ++n) {
      panel[k * width + n] = from.first[k * from.row + n * from.column];
    }
    std::fill(panel + k * width + columns, panel + (k + 1) * width, 0.0F);
  }
}

}  // namespace

std::int64_t panel_width() {
  std::int64_t width = 0;
  run_widest([&](auto vector) LOCI_INLINE {
    width = 2 * decltype(vector)::kBytes / static_cast<std::int64_t>(sizeof(float));
  });
  return width;
}

void pack(const PackedMatrix& matrix, const float* y, std::int64_t row, std::int64_t column,
          float* packed) {
  for (std::int64_t k0 = 0; k0 < matrix.k; k0 += matrix.block) {
    for (std::int64_t panel = 0; panel < matrix.panels(); ++panel) {
      const std::int64_t n0 = panel * matrix.width;
      pack_panel({y + k0 * row + n0 * column, row, column}, matrix.block_rows(k0),
                 std::min(matrix.width, matrix.n - n0), matrix.width,
                 packed + matrix.offset(k0, panel));
    }
  }
}

void multiply_packed(const sdk::Host& host, const PackedProduct& product, const float* x,
                     const float* packed, float* out, const RowEpilogue& epilogue) {
  const Cut cut(product, host.parallel_width());
  host.parallel_for(0, cut.tiles * cut.groups, cut.grain,
                    [&](std::int64_t begin, std::int64_t end) {
                      run_widest([&](auto vector) LOCI_INLINE {
                        constexpr int kBytes = decltype(vector)::kBytes;
                        for (std::int64_t i = begin; i < end; ++i) {
                          const std::int64_t first = i % cut.groups * cut.group;
                          const std::int64_t last = std::min(first + cut.group, product.y.panels());
                          const std::int64_t row = i / cut.groups * kTileRows;
                          multiply_tile<kBytes>(product, x, packed, out, row, first, last);
                          if (!epilogue.does_nothing())
                            finish_tile(product, epilogue, out, row, first, last);
                        }
                      });
                    });
}

void multiply_packed_here(const PackedProduct& product, const float* x, const float* packed,
                          float* out) {
  run_widest([&](auto vector) LOCI_INLINE {
    for (std::int64_t row = 0; row < product.m; row += kTileRows) {
      multiply_tile<decltype(vector)::kBytes>(product, x, packed, out, row, 0, product.y.panels());
    }
  });
}

}  // namespace loci::kernels
