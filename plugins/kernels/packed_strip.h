// The product of some rows and panels of a packed matrix, with the sums in registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "plugins/kernels/activation_choice.h"
#include "plugins/kernels/epilogue.h"
#include "plugins/kernels/float_vectors.h"

namespace loci::kernels {

// Sums that are added to at the same time: with two vectors for each row and panel as many as hide
// the latency of a multiply-add, and fit the registers beside what is multiplied.
template <int bytes>
inline constexpr int kMostRows = bytes == 64 ? 14 : 6;

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
  RowEpilogue epilogue;  // from the strip's first row and column on; no smooth activation
  bool is_plain;         // the epilogue does nothing
  const float* fetch;    // what is multiplied later, to be in the cache then
};

// The first `count` lanes; of others, which nobody reads, it makes something or other. Half a
// vector is common: channels are multiples of eight.
template <int bytes, class V>
LOCI_INLINE inline void load_some(V& vector, const float* from, std::int64_t count) {
  constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;
  if (count >= kLanes) return load(vector, from);
  float lanes[kLanes] = {};
  if constexpr (bytes > 16) {
    if (count == kLanes / 2) {
      std::memcpy(lanes, from, bytes / 2);
      return load(vector, lanes);
    }
  }
  for (std::int64_t i = 0; i < count; ++i) lanes[i] = from[i];
  load(vector, lanes);
}

template <int bytes, class V>
LOCI_INLINE inline void store_some(const V& vector, float* to, std::int64_t count) {
  constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;
  if (count >= kLanes) return store(vector, to);
  if constexpr (bytes > 16) {
    if (count == kLanes / 2) {
      std::memcpy(to, &vector, bytes / 2);
      return;
    }
  }
  for (std::int64_t i = 0; i < count; ++i) to[i] = vector[i];
}

// Sums that lie as a strip does, from one of its panels on: rows of two vectors.
template <int bytes>
struct Sums {
  static constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;
  alignas(bytes) float values[kMostRows<bytes> * 2 * kLanes];

  template <class V>
  LOCI_INLINE void take(const V& sum, std::int64_t row, std::int64_t vector) {
    store(sum, values + (2 * row + vector) * kLanes);
  }
};

// The steps for each sum: known when it is compiled, for a loop over many of them.
template <class With, bool continues, bool adds_residual>
struct PutSteps {
  using Function = With;
  static constexpr bool kContinues = continues;  // the sums of the blocks before
  static constexpr bool kAddsResidual = adds_residual;
};

// Some vectors of columns, number `column` of the strip's first; of a single one, `count` lanes.
template <int bytes, class Steps, int vectors>
LOCI_INLINE inline void put_columns(const Strip& strip, const float* sums, std::int64_t rows,
                                    std::int64_t column, std::int64_t count) {
  using V = typename FloatVector<bytes>::type;
  constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;
  const RowEpilogue& last = strip.epilogue;
  V factor[vectors];
  V bias[vectors];
  for (int i = 0; i < vectors; ++i) {
    factor[i] = V{} + 1.0F;
    bias[i] = V{};
    const std::int64_t first = column + i * kLanes;
    if (last.factor != nullptr) load_some<bytes>(factor[i], last.factor + first, count);
    if (last.bias != nullptr) load_some<bytes>(bias[i], last.bias + first, count);
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t position = row * strip.out_row + column;
    for (int i = 0; i < vectors; ++i) {
      V value;
      V term;
      load(value, sums + (2 * row + i) * kLanes);
      if constexpr (Steps::kContinues) {
        load_some<bytes>(term, strip.out + position + i * kLanes, count);
        value += term;
      }
      value = value * factor[i] + bias[i];
      if constexpr (Steps::kAddsResidual) {
        load_some<bytes>(term, last.residual + position + i * kLanes, count);
        value += term;
      }
      Steps::Function::apply(value);
      store_some<bytes>(value, strip.out + position + i * kLanes, count);
    }
  }
}

template <int bytes, class Steps>
LOCI_INLINE inline void put(const Strip& strip, const Sums<bytes>& sums, std::int64_t rows,
                            std::int64_t column) {
  constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;
  const std::int64_t columns = strip.columns - column;
  if (columns >= 2 * kLanes) {
    return put_columns<bytes, Steps, 2>(strip, sums.values, rows, column, kLanes);
  }
  put_columns<bytes, Steps, 1>(strip, sums.values, rows, column, std::min(columns, kLanes));
  if (columns <= kLanes) return;
  put_columns<bytes, Steps, 1>(strip, sums.values + kLanes, rows, column + kLanes,
                               columns - kLanes);
}

template <int bytes, class Function>
LOCI_INLINE inline void put_with(const Strip& strip, const Sums<bytes>& sums, std::int64_t rows,
                                 std::int64_t column) {
  const bool adds = strip.epilogue.residual != nullptr;
  if (strip.is_first) {
    adds ? put<bytes, PutSteps<Function, false, true>>(strip, sums, rows, column)
         : put<bytes, PutSteps<Function, false, false>>(strip, sums, rows, column);
  } else {
    adds ? put<bytes, PutSteps<Function, true, true>>(strip, sums, rows, column)
         : put<bytes, PutSteps<Function, true, false>>(strip, sums, rows, column);
  }
}

// Puts the panel that begins with the strip's number `column`. The sums go by way of memory, so
// that the many kinds of this do not take registers from the loops that multiply.
template <int bytes>
LOCI_INLINE inline void put(const Strip& strip, const Sums<bytes>& sums, std::int64_t rows,
                            std::int64_t column) {
  visit_straight(strip.epilogue.activation, [&](auto function) LOCI_INLINE {
    put_with<bytes, decltype(function)>(strip, sums, rows, column);
  });
}

// A vector of columns that nothing more is done with than to add it.
template <class V>
LOCI_INLINE inline void put_plain(const Strip& strip, const V& sum, std::int64_t row,
                                  std::int64_t column) {
  float* out = strip.out + row * strip.out_row + column;
  V total = sum;
  if (!strip.is_first) {
    V before;
    load(before, out);
    total += before;
  }
  store(total, out);
}

inline constexpr int kUnroll = 4;

// A matrix that is longer than the caches comes into them while the panel before is multiplied: by
// as many strips of rows a part each, or by a single strip of few rows, which is slower for it with
// shorter vectors.
inline constexpr std::int64_t kFetchingStrips = 4;
inline constexpr int kFewRows = 3;
template <int bytes, int rows>
inline constexpr bool kFetchesAll = bytes == 64 && rows <= kFewRows;

template <std::int64_t count>
LOCI_INLINE inline void fetch(const float* from) {
  constexpr std::int64_t kLine = 16;  // floats
  constexpr int kSecondCache = 2;     // as __builtin_prefetch() has it
  for (std::int64_t i = 0; i < count; i += kLine) {
    __builtin_prefetch(from + i, 0, kSecondCache);
  }
}

// Sums that are added to in turns, where one of each would be too few to hide the latency.
constexpr int chains_of(int sums) { return sums >= 8 ? 1 : sums >= 4 ? 2 : kUnroll; }

// The sums of a strip in the order by which the compiler finds registers for them, measured: with
// AVX-512 vector by vector of columns, otherwise row by row.
template <int bytes, int rows, int panels, int chains>
struct StripSums {
  using V = typename FloatVector<bytes>::type;
  LOCI_INLINE void add(int chain, int panel, int row, float x, const V& a, const V& b) {
    sums[chain][row][2 * panel] += x * a;
    sums[chain][row][2 * panel + 1] += x * b;
  }
  // put(sum, row, vector)
  template <class Put>
  LOCI_INLINE void for_each(const Put& put) {
    for (int row = 0; row < rows; ++row) {
      for (int i = 0; i < 2 * panels; ++i) {
        for (int chain = 1; chain < chains; ++chain) sums[0][row][i] += sums[chain][row][i];
        put(sums[0][row][i], row, i);
      }
    }
  }
  V sums[chains][rows][2 * panels] = {};
};

template <int rows, int panels, int chains>
struct StripSums<64, rows, panels, chains> {
  using V = typename FloatVector<64>::type;
  LOCI_INLINE void add(int chain, int panel, int row, float x, const V& a, const V& b) {
    left[panel][chain][row] += x * a;
    right[panel][chain][row] += x * b;
  }
  template <class Put>
  LOCI_INLINE void for_each(const Put& put) {
    for (int panel = 0; panel < panels; ++panel) {
      for (int row = 0; row < rows; ++row) put(joined(left[panel], row), row, 2 * panel);
      for (int row = 0; row < rows; ++row) put(joined(right[panel], row), row, 2 * panel + 1);
    }
  }
  LOCI_INLINE static const V& joined(V (&sums)[chains][rows], int row) {
    for (int chain = 1; chain < chains; ++chain) sums[0][row] += sums[chain][row];
    return sums[0][row];
  }
  V left[panels][chains][rows] = {};
  V right[panels][chains][rows] = {};
};

// Panels of two. Whether it has put the sums where they belong; else the result has them.
template <int bytes, int rows, int panels>
LOCI_INLINE inline bool multiply_wide(const Strip& strip, Sums<bytes>* result) {
  using V = typename FloatVector<bytes>::type;
  constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;
  constexpr std::int64_t kWidth = 2 * kLanes;
  constexpr int kChains = chains_of(2 * rows * panels);
  const std::int64_t panel = strip.block_rows * kWidth;
  StripSums<bytes, rows, panels, kChains> sums;
  const auto step = [&](std::int64_t k, int chain) LOCI_INLINE {
    for (int p = 0; p < panels; ++p) {
      const std::int64_t position = p * panel + k * kWidth;
      if constexpr (kFetchesAll<bytes, rows>) {
        fetch<kWidth>(strip.fetch + position);
      }
      V a;
      V b;
      load(a, strip.y + position);
      load(b, strip.y + position + kLanes);
      for (int row = 0; row < rows; ++row) {
        sums.add(chain, p, row, strip.x[row * strip.x_row + k], a, b);
      }
    }
  };
  std::int64_t k = 0;
  for (; k + kUnroll <= strip.block_rows; k += kUnroll) {
    if constexpr (rows > kFewRows) {
      fetch<kUnroll * kWidth / kFetchingStrips>(strip.fetch + k * (kWidth / kFetchingStrips));
    }
    for (int i = 0; i < kUnroll; ++i) step(k + i, i % kChains);
  }
  for (; k < strip.block_rows; ++k) step(k, 0);
  if (strip.is_plain && strip.columns >= panels * kWidth) {
    sums.for_each([&](const V& sum, int row, int i)
                      LOCI_INLINE { put_plain(strip, sum, row, i * kLanes); });
    return true;
  }
  sums.for_each([&](const V& sum, int row, int i)
                    LOCI_INLINE { result[i / 2].take(sum, row, i % 2); });
  return false;
}

// Panels of one vector. As multiply_wide().
template <int bytes, int rows>
LOCI_INLINE inline bool multiply_narrow(const Strip& strip, Sums<bytes>* result) {
  using V = typename FloatVector<bytes>::type;
  constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;
  constexpr int kChains = chains_of(rows);
  V sums[kChains][rows] = {};
  const auto step = [&](std::int64_t k, V(&chain)[rows]) LOCI_INLINE {
    V y;
    load(y, strip.y + k * kLanes);
    for (int row = 0; row < rows; ++row) chain[row] += strip.x[row * strip.x_row + k] * y;
  };
  std::int64_t k = 0;
  for (; k + kUnroll <= strip.block_rows; k += kUnroll) {
    for (int i = 0; i < kUnroll; ++i) step(k + i, sums[i % kChains]);
  }
  for (; k < strip.block_rows; ++k) step(k, sums[0]);
  for (int row = 0; row < rows; ++row) {
    for (int chain = 1; chain < kChains; ++chain) sums[0][row] += sums[chain][row];
    result->take(sums[0][row], row, 0);
  }
  return false;
}

// Panels that the registers hold the sums of beside those of a few rows.
inline constexpr std::int64_t kMostPanelsAtOnce = 4;
inline std::int64_t panels_at_once(std::int64_t rows, std::int64_t panels) {
  const std::int64_t most = rows < 4 ? kMostPanelsAtOnce + 1 - rows : 1;
  return panels >= most ? most : 1;
}

// One panel.
template <int bytes, int most>
LOCI_INLINE inline bool multiply_rows(const Strip& strip, std::int64_t rows, bool is_narrow,
                                      Sums<bytes>* result) {
  if constexpr (most > 1) {
    if (rows < most) return multiply_rows<bytes, most - 1>(strip, rows, is_narrow, result);
  }
  return is_narrow ? multiply_narrow<bytes, most>(strip, result)
                   : multiply_wide<bytes, most, 1>(strip, result);
}

template <int bytes>
LOCI_INLINE inline bool multiply_panels(const Strip& strip, std::int64_t rows, std::int64_t width,
                                        std::int64_t panels, Sums<bytes>* result) {
  if (panels == 1) {
    constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;
    return multiply_rows<bytes, kMostRows<bytes>>(strip, rows, width == kLanes, result);
  }
  if (rows == 1) return multiply_wide<bytes, 1, 4>(strip, result);
  if (rows == 2) return multiply_wide<bytes, 2, 3>(strip, result);
  return multiply_wide<bytes, 3, 2>(strip, result);
}

// `panels` is panels_at_once() of that many rows; `width` that of the first.
template <int bytes>
LOCI_INLINE inline void multiply_some(const Strip& strip, std::int64_t rows, std::int64_t width,
                                      std::int64_t panels) {
  Sums<bytes> sums[kMostPanelsAtOnce];
  if (multiply_panels<bytes>(strip, rows, width, panels, sums)) return;
  for (std::int64_t p = 0; p < panels; ++p) put(strip, sums[p], rows, p * width);
}

}  // namespace loci::kernels
