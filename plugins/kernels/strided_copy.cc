#include "plugins/kernels/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/transpose_squares.h"

namespace loci::kernels {
namespace {

using sdk::StridedCopyPlan;
using Axis = StridedCopyPlan::Axis;
using Loop = StridedCopyPlan::Loop;
using Offsets = StridedCopyPlan::Offsets;

// Elements on a side of a tile: at least a cache line of them.
template <class Unit>
constexpr std::int64_t tile_of = sizeof(Unit) == 1 ? 64 : 32;
// Picoseconds that moving a byte, and beginning a row, take.
constexpr std::int64_t kByteTime = 60;
constexpr std::int64_t kRowTime = 3000;

// A unit that no integer holds.
struct Wide {
  std::uint64_t low;
  std::uint64_t high;
};
static_assert(sizeof(Wide) == StridedCopyPlan::kMaxTiledUnit);

// Compiled to one load and one store; neither side need be aligned.
template <class Unit>
void move(const char* from, char* to) {
  std::memcpy(to, from, sizeof(Unit));
}

template <class Unit>
void move_row(const char* from, std::int64_t from_step, char* to, std::int64_t to_step,
              std::int64_t count) {
  if (to_step != static_cast<std::int64_t>(sizeof(Unit))) {
    for (std::int64_t i = 0; i < count; ++i) move<Unit>(from + i * from_step, to + i * to_step);
  } else if (from_step == 0) {
    Unit value;
    std::memcpy(&value, from, sizeof value);
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, &value, sizeof value);
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      move<Unit>(from + i * from_step, to + i * static_cast<std::int64_t>(sizeof(Unit)));
    }
  }
}

// Four columns of `lines` elements, as rows of four.
void transpose_columns(const char* from, std::int64_t from_step, std::uint32_t* to,
                       std::int64_t lines) {
  for (std::int64_t line = 0; line < lines; line += kSquare) {
    transpose_square(from + line * 4, from_step, reinterpret_cast<char*>(to + line * lines),
                     lines * 4);
  }
}

// Through a buffer, so that each cache line on either side is touched once: lines that are a power
// of two apart would push each other out.
template <class Unit>
void move_tile(const char* from, std::int64_t from_step, char* to, std::int64_t to_step,
               std::int64_t lines, std::int64_t columns) {
  constexpr std::int64_t kTile = tile_of<Unit>;
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Unit));
  Unit buffer[kTile][kTile];
  std::int64_t column = 0;
  if constexpr (sizeof(Unit) == 4) {
    if (lines == kTile) {
      for (; column + kSquare <= columns; column += kSquare) {
        transpose_columns(from + column * from_step, from_step, &buffer[0][column], kTile);
      }
    }
  }
  for (; column < columns; ++column) {
    const char* source = from + column * from_step;
    for (std::int64_t line = 0; line < lines; ++line) {
      std::memcpy(&buffer[line][column], source + line * kBytes, sizeof(Unit));
    }
  }
  for (std::int64_t line = 0; line < lines; ++line) {
    if (columns == kTile) {
      std::memcpy(to + line * to_step, buffer[line], sizeof(buffer[line]));
    } else {
      std::memcpy(to + line * to_step, buffer[line], static_cast<std::size_t>(columns * kBytes));
    }
  }
}

std::int64_t pieces(std::int64_t extent, std::int64_t size) { return (extent + size - 1) / size; }

void run_block(const sdk::Host& host, const StridedCopyPlan& plan, const char* from, char* to) {
  host.parallel_for(0, plan.unit(), grain_for(kByteTime),
                    [&](std::int64_t begin, std::int64_t end) {
                      std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
                    });
}

template <class Unit>
void run_rows(const sdk::Host& host, const StridedCopyPlan& plan, const char* from, char* to) {
  const Axis row = plan.inner(0);
  const std::int64_t row_time = kByteTime * plan.unit() * 4;
  const auto move_part = [&](Offsets at, std::int64_t begin, std::int64_t end) {
    move_row<Unit>(from + at.from + begin * row.from, row.from, to + at.to + begin * row.to, row.to,
                   end - begin);
  };
  if (plan.rows() == 1) {
    host.parallel_for(0, row.extent, grain_for(row_time),
                      [&](std::int64_t begin, std::int64_t end) { move_part({}, begin, end); });
    return;
  }
  host.parallel_for(0, plan.rows(), grain_for(kRowTime + row_time * row.extent),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        move_part(plan.offsets_of(i, plan.rank() - 1), 0, row.extent);
                      }
                    });
}

// Copies runs too long for a register.
void run_long_rows(const sdk::Host& host, const StridedCopyPlan& plan, const char* from, char* to) {
  const std::int64_t runs = plan.rows() * plan.inner(0).extent;
  host.parallel_for(0, runs, grain_for(kRowTime + kByteTime * plan.unit()),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        const Offsets at = plan.offsets_of(i, plan.rank());
                        std::memcpy(to + at.to, from + at.from,
                                    static_cast<std::size_t>(plan.unit()));
                      }
                    });
}

template <class Unit>
void run_tiles(const sdk::Host& host, const StridedCopyPlan& plan, const char* from, char* to) {
  constexpr std::int64_t kTile = tile_of<Unit>;
  constexpr auto kUnit = static_cast<std::int64_t>(sizeof(Unit));
  const Axis lines = plan.inner(1);  // contiguous in `from`
  const Axis row = plan.inner(0);    // contiguous in `to`
  const std::int64_t down = pieces(lines.extent, kTile);
  const std::int64_t across = pieces(row.extent, kTile);
  host.parallel_for(0, plan.rows() * down * across,
                    grain_for(kByteTime * 4 * kUnit * kTile * kTile),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t tile = begin; tile < end; ++tile) {
                        const Offsets at = plan.offsets_of(tile / (down * across), plan.rank() - 2);
                        // Along the lines, so that each column is read on and on.
                        const std::int64_t line = tile % down * kTile;
                        const std::int64_t column = tile / down % across * kTile;
                        move_tile<Unit>(from + at.from + line * kUnit + column * row.from, row.from,
                                        to + at.to + line * lines.to + column * kUnit, lines.to,
                                        std::min(kTile, lines.extent - line),
                                        std::min(kTile, row.extent - column));
                      }
                    });
}

template <class Unit>
void run_units(const sdk::Host& host, const StridedCopyPlan& plan, const char* from, char* to) {
  if (plan.loop() == Loop::kTransposed) return run_tiles<Unit>(host, plan, from, to);
  run_rows<Unit>(host, plan, from, to);
}

}  // namespace

void copy_strided(const sdk::Host& host, const StridedCopyPlan& plan, const char* from, char* to) {
  if (plan.empty()) return;
  if (plan.loop() == Loop::kBlock) return run_block(host, plan, from, to);
  switch (plan.unit()) {
    case 1: return run_units<std::uint8_t>(host, plan, from, to);
    case 2: return run_units<std::uint16_t>(host, plan, from, to);
    case 4: return run_units<std::uint32_t>(host, plan, from, to);
    case 8: return run_units<std::uint64_t>(host, plan, from, to);
    case 16: return run_units<Wide>(host, plan, from, to);
    default: return run_long_rows(host, plan, from, to);
  }
}

}  // namespace loci::kernels
