#include "plugins/kernels/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "plugins/kernels/grain.h"

namespace loci::kernels {
namespace {

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

// Through a buffer, so that each cache line on either side is touched once: lines that are a power
// of two apart would push each other out.
template <class Unit>
void move_tile(const char* from, std::int64_t from_step, char* to, std::int64_t to_step,
               std::int64_t lines, std::int64_t columns) {
  constexpr std::int64_t kTile = tile_of<Unit>;
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Unit));
  Unit buffer[kTile][kTile];
  for (std::int64_t column = 0; column < columns; ++column) {
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

}  // namespace

StridedCopy& StridedCopy::axis(std::int64_t extent, std::int64_t from, std::int64_t to) {
  if (extent != 1) axes_[rank_++] = {extent, from, to};
  return *this;
}

StridedCopy& StridedCopy::resolve() {
  const auto* end = axes_.begin() + rank_;
  const bool empty =
      unit_ == 0 || std::any_of(axes_.cbegin(), end, [](const Axis& a) { return a.extent == 0; });
  if (empty) return *this;
  sort_axes();
  merge_axes();
  take_unit();
  choose_loop();
  return *this;
}

// So that `to` is written in order.
void StridedCopy::sort_axes() {
  std::stable_sort(axes_.begin(), axes_.begin() + rank_,
                   [](const Axis& a, const Axis& b) { return std::abs(a.to) > std::abs(b.to); });
}

// Neighbours that are one run of steps on both sides become one.
void StridedCopy::merge_axes() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rank_; ++i) {
    const Axis inner = axes_[i];
    if (kept > 0) {
      Axis& outer = axes_[kept - 1];
      if (outer.from == inner.from * inner.extent && outer.to == inner.to * inner.extent) {
        outer = {outer.extent * inner.extent, inner.from, inner.to};
        continue;
      }
    }
    axes_[kept++] = inner;
  }
  rank_ = kept;
}

// An innermost axis without gaps is part of what is moved at once.
void StridedCopy::take_unit() {
  if (rank_ == 0) return;
  const Axis& last = axes_[rank_ - 1];
  if (last.from != unit_ || last.to != unit_) return;
  unit_ *= last.extent;
  --rank_;
}

void StridedCopy::choose_loop() {
  loop_ = rank_ == 0 ? Loop::kBlock : Loop::kRows;
  const bool fits_register =
      unit_ <= static_cast<std::int64_t>(sizeof(Wide)) && (unit_ & (unit_ - 1)) == 0;
  for (std::size_t i = 0; i + 1 < rank_; ++i) {
    const Axis& last = axes_[rank_ - 1];
    const bool crosses = axes_[i].from == unit_ && last.to == unit_ && last.from != 0;
    if (crosses && fits_register) return swap_to_tiles(i);
  }
  for (std::size_t i = 0; i + 1 < rank_; ++i) rows_ *= axes_[i].extent;
}

// Brings the axis that is innermost in `from` next to the one that is innermost in `to`.
void StridedCopy::swap_to_tiles(std::size_t axis) {
  loop_ = Loop::kTransposed;
  std::rotate(axes_.begin() + axis, axes_.begin() + axis + 1, axes_.begin() + rank_ - 1);
  for (std::size_t i = 0; i + 2 < rank_; ++i) rows_ *= axes_[i].extent;
}

StridedCopy::Offsets StridedCopy::offsets_of(std::int64_t position, std::size_t axes) const {
  Offsets offsets;
  for (std::size_t i = axes; i-- > 0;) {
    const std::int64_t coordinate = position % axes_[i].extent;
    position /= axes_[i].extent;
    offsets.from += coordinate * axes_[i].from;
    offsets.to += coordinate * axes_[i].to;
  }
  return offsets;
}

void StridedCopy::run(const sdk::Host& host, const char* from, char* to) const {
  if (loop_ == Loop::kNothing) return;
  if (loop_ == Loop::kBlock) return run_block(host, from, to);
  switch (unit_) {
    case 1: return run_units<std::uint8_t>(host, from, to);
    case 2: return run_units<std::uint16_t>(host, from, to);
    case 4: return run_units<std::uint32_t>(host, from, to);
    case 8: return run_units<std::uint64_t>(host, from, to);
    case 16: return run_units<Wide>(host, from, to);
    default: return run_long_rows(host, from, to);
  }
}

template <class Unit>
void StridedCopy::run_units(const sdk::Host& host, const char* from, char* to) const {
  if (loop_ == Loop::kTransposed) return run_tiles<Unit>(host, from, to);
  run_rows<Unit>(host, from, to);
}

void StridedCopy::run_block(const sdk::Host& host, const char* from, char* to) const {
  host.parallel_for(0, unit_, grain_for(kByteTime), [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
  });
}

template <class Unit>
void StridedCopy::run_rows(const sdk::Host& host, const char* from, char* to) const {
  const Axis& row = axes_[rank_ - 1];
  const auto move_part = [&](Offsets at, std::int64_t begin, std::int64_t end) {
    move_row<Unit>(from + at.from + begin * row.from, row.from, to + at.to + begin * row.to, row.to,
                   end - begin);
  };
  if (rows_ == 1) {
    host.parallel_for(0, row.extent, grain_for(kByteTime * unit_ * 4),
                      [&](std::int64_t begin, std::int64_t end) { move_part({}, begin, end); });
    return;
  }
  host.parallel_for(0, rows_, grain_for(kRowTime + kByteTime * unit_ * 4 * row.extent),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        move_part(offsets_of(i, rank_ - 1), 0, row.extent);
                      }
                    });
}

// Of runs too long for a register.
void StridedCopy::run_long_rows(const sdk::Host& host, const char* from, char* to) const {
  const std::int64_t runs = rows_ * axes_[rank_ - 1].extent;
  host.parallel_for(0, runs, grain_for(kRowTime + kByteTime * unit_),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        const Offsets at = offsets_of(i, rank_);
                        std::memcpy(to + at.to, from + at.from, static_cast<std::size_t>(unit_));
                      }
                    });
}

template <class Unit>
void StridedCopy::run_tiles(const sdk::Host& host, const char* from, char* to) const {
  constexpr std::int64_t kTile = tile_of<Unit>;
  const Axis& lines = axes_[rank_ - 2];  // contiguous in `from`
  const Axis& row = axes_[rank_ - 1];    // contiguous in `to`
  const std::int64_t down = pieces(lines.extent, kTile);
  const std::int64_t across = pieces(row.extent, kTile);
  host.parallel_for(0, rows_ * down * across, grain_for(kByteTime * 4 * unit_ * kTile * kTile),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t tile = begin; tile < end; ++tile) {
                        const Offsets at = offsets_of(tile / (down * across), rank_ - 2);
                        const std::int64_t line = tile / across % down * kTile;
                        const std::int64_t column = tile % across * kTile;
                        move_tile<Unit>(from + at.from + line * unit_ + column * row.from, row.from,
                                        to + at.to + line * lines.to + column * unit_, lines.to,
                                        std::min(kTile, lines.extent - line),
                                        std::min(kTile, row.extent - column));
                      }
                    });
}

Strides dense_strides(sdk::Dims dims, std::int64_t element_bytes) {
  Strides strides{};
  std::int64_t stride = element_bytes;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

}  // namespace loci::kernels
