// Transposes of small matrices of 4-byte elements, in registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

inline constexpr std::int64_t kSquare = 4;

// Four lines of four elements each, from_step and to_step bytes apart.
LOCI_INLINE inline void transpose_square(const char* from, std::int64_t from_step, char* to,
                                         std::int64_t to_step) {
  using Four = std::uint32_t __attribute__((vector_size(16)));
  Four lines[kSquare];
  for (std::int64_t i = 0; i < kSquare; ++i) std::memcpy(&lines[i], from + i * from_step, 16);
  const Four ab_low = __builtin_shufflevector(lines[0], lines[1], 0, 4, 1, 5);
  const Four ab_high = __builtin_shufflevector(lines[0], lines[1], 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(lines[2], lines[3], 0, 4, 1, 5);
  const Four cd_high = __builtin_shufflevector(lines[2], lines[3], 2, 6, 3, 7);
  const Four columns[kSquare] = {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                                 __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
                                 __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                                 __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
  for (std::int64_t i = 0; i < kSquare; ++i) std::memcpy(to + i * to_step, &columns[i], 16);
}

// to[column, row] = from[row, column]; lines of either are so many elements apart. By tiles of a
// cache line each way, so that each line is fetched once wherever the next ones lie.
inline void transpose(const float* from, std::int64_t from_line, std::int64_t rows,
                      std::int64_t columns, float* to, std::int64_t to_line) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(float));
  constexpr std::int64_t kTile = 64 / kBytes;
  const auto move_tile = [&](std::int64_t row, std::int64_t column) {
    const std::int64_t last_row = std::min(row + kTile, rows);
    const std::int64_t last_column = std::min(column + kTile, columns);
    const bool is_whole = last_row - row == kTile && last_column - column == kTile;
    const std::int64_t step = is_whole ? kSquare : 1;
    for (std::int64_t c = column; c < last_column; c += step) {
      for (std::int64_t r = row; r < last_row; r += step) {
        const float* source = from + r * from_line + c;
        float* target = to + c * to_line + r;
        if (is_whole) {
          transpose_square(reinterpret_cast<const char*>(source), from_line * kBytes,
                           reinterpret_cast<char*>(target), to_line * kBytes);
        } else {
          *target = *source;
        }
      }
    }
  };
  for (std::int64_t row = 0; row < rows; row += kTile) {
    for (std::int64_t column = 0; column < columns; column += kTile) move_tile(row, column);
  }
}

}  // namespace loci::kernels
