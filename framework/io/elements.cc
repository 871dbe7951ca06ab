#include "framework/io/elements.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace loci {
inline namespace v0 {
namespace io {
namespace {

template <class Word>
Word reversed(Word word) {
  if constexpr (sizeof(Word) == 2) return __builtin_bswap16(word);
  if constexpr (sizeof(Word) == 4) return __builtin_bswap32(word);
  if constexpr (sizeof(Word) == 8) return __builtin_bswap64(word);
}

template <class Word>
void swap_words(void* data, std::size_t count) {
  auto* words = static_cast<Word*>(data);
  for (std::size_t i = 0; i < count; ++i) words[i] = reversed(words[i]);
}

struct Strides {
  std::array<std::int64_t, Shape::kMaxRank> source{};  // first dimension fastest
  std::array<std::int64_t, Shape::kMaxRank> target{};  // last dimension fastest
};

Strides strides_of(const Shape& shape) {
  Strides strides;
  std::int64_t step = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    strides.source[static_cast<std::size_t>(axis)] = step;
    step *= shape[axis];
  }
  step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides.target[static_cast<std::size_t>(axis)] = step;
    step *= shape[axis];
  }
  return strides;
}

// A matrix whose rows are contiguous in the target and whose columns are in the source. Tiles keep
// the cache lines of both sides alive until they are used up.
template <class Word>
void transpose_plane(const Word* source, Word* target, std::int64_t rows, std::int64_t columns,
                     std::int64_t source_step, std::int64_t target_step) {
  constexpr std::int64_t kTile = 32;
  for (std::int64_t row = 0; row < rows; row += kTile) {
    const std::int64_t row_end = std::min(row + kTile, rows);
    for (std::int64_t column = 0; column < columns; column += kTile) {
      const std::int64_t column_end = std::min(column + kTile, columns);
      for (std::int64_t i = row; i < row_end; ++i) {
        for (std::int64_t j = column; j < column_end; ++j) {
          target[i * target_step + j] = source[j * source_step + i];
        }
      }
    }
  }
}

// The planes of the first and last dimension, for every index of those in between.
template <class Word>
void transpose(const Word* source, Word* target, const Shape& shape) {
  const Strides strides = strides_of(shape);
  const int last = shape.rank() - 1;
  std::array<std::int64_t, Shape::kMaxRank> index{};
  for (;;) {
    std::int64_t from = 0;
    std::int64_t to = 0;
    for (int axis = 1; axis < last; ++axis) {
      const auto i = static_cast<std::size_t>(axis);
      from += index[i] * strides.source[i];
      to += index[i] * strides.target[i];
    }
    transpose_plane(source + from, target + to, shape[0], shape[last],
                    strides.source[static_cast<std::size_t>(last)], strides.target[0]);
    int axis = last - 1;
    while (axis > 0 && ++index[static_cast<std::size_t>(axis)] == shape[axis]) {
      index[static_cast<std::size_t>(axis--)] = 0;
    }
    if (axis <= 0) return;
  }
}

}  // namespace

std::optional<std::uint64_t> byte_size(const Shape& shape, DType dtype) {
  if (!shape.is_static()) return std::nullopt;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  auto bytes = static_cast<std::int64_t>(dtype_size(dtype));
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return static_cast<std::uint64_t>(bytes);
}

std::optional<std::size_t> find_bad_bool(const void* data, std::size_t count) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  const auto* bad = std::find_if(bytes, bytes + count, [](unsigned char byte) { return byte > 1; });
  if (bad == bytes + count) return std::nullopt;
  return static_cast<std::size_t>(bad - bytes);
}

void swap_byte_order(void* data, std::size_t count, std::size_t element_bytes) {
  switch (element_bytes) {
    case 2: return swap_words<std::uint16_t>(data, count);
    case 4: return swap_words<std::uint32_t>(data, count);
    case 8: return swap_words<std::uint64_t>(data, count);
    default: return;
  }
}

void fortran_to_c_order(const void* source, void* target, const Shape& shape,
                        std::size_t element_bytes) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  const auto move = [&](auto word) {
    using Word = decltype(word);
    if (shape.rank() < 2) {
      std::memcpy(target, source, static_cast<std::size_t>(shape.numel()) * sizeof(Word));
    } else {
      transpose(static_cast<const Word*>(source), static_cast<Word*>(target), shape);
    }
  };
  switch (element_bytes) {
    case 1: return move(std::uint8_t{});
    case 2: return move(std::uint16_t{});
    case 4: return move(std::uint32_t{});
    default: return move(std::uint64_t{});
  }
}

}  // namespace io
}  // namespace v0
}  // namespace loci
