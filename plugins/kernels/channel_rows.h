// Sums over the elements of each channel where channels lie side by side: rows of one element of
// each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <loci/plugin/host.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"

namespace loci::kernels {

// How the rows are cut into parts, each summed by itself. It hangs on extents alone, so that sums
// do not on the number of threads.
struct ChannelRows {
  static constexpr std::int64_t kMostParts = 32;
  static constexpr std::int64_t kPartElements = 65'536;  // at least, of all channels
  // The rows that lie in the fastest cache, of the channels that are summed together.
  static constexpr std::int64_t kBlock = 128;

  ChannelRows(std::int64_t row_count, std::int64_t channel_count)
      : rows(row_count), channels(channel_count) {
    const std::int64_t worth = rows * channels / kPartElements;
    const std::int64_t most = std::min(kMostParts, (rows + kBlock - 1) / kBlock);
    const std::int64_t wanted = std::max<std::int64_t>(std::min(worth, most), 1);
    part_rows = std::max<std::int64_t>((rows + wanted - 1) / wanted, 1);
    parts = std::max<std::int64_t>((rows + part_rows - 1) / part_rows, 1);
  }

  // The workspace holds two sums for each channel and part.
  [[nodiscard]] std::uint64_t workspace_bytes() const {
    return static_cast<std::uint64_t>(2 * parts * channels) * sizeof(double);
  }

  std::int64_t rows;
  std::int64_t channels;
  std::int64_t part_rows;
  std::int64_t parts;
};

// `count` channels from one on, of which doubles fill vectors of that many bytes. Bytes of one
// double are a channel by itself.
template <class C, int bytes, int count>
struct ChannelLanes {
  static constexpr std::int64_t kLanes = bytes / static_cast<std::int64_t>(sizeof(double));
  static constexpr std::int64_t kChannels = kLanes * count;
  typedef double Wide __attribute__((vector_size(bytes)));  // NOLINT: using drops it
  typedef C Narrow
      __attribute__((vector_size(bytes / sizeof(double) * sizeof(C))));  // NOLINT: using drops it

  static LOCI_INLINE void load(Narrow& vector, const C* from, int v) {
    std::memcpy(&vector, from + v * kLanes, sizeof vector);
  }
  static LOCI_INLINE void store(const Wide& vector, double* to, int v) {
    std::memcpy(to + v * kLanes, &vector, sizeof vector);
  }
  static LOCI_INLINE void widen(Wide& wide, const Narrow& narrow) {
    wide = __builtin_convertvector(narrow, Wide);
  }
};

// Calls body.run<ChannelLanes<...>>(first) for channels that make up all.
template <class C, int bytes, class Body>
LOCI_INLINE inline void for_channel_lanes(std::int64_t channels, const Body& body) {
  using Many = ChannelLanes<C, bytes, 4>;
  using Few = ChannelLanes<C, bytes, 1>;
  using One = ChannelLanes<C, sizeof(double), 1>;
  std::int64_t first = 0;
  for (; first + Many::kChannels <= channels; first += Many::kChannels) {
    body.template run<Many>(first);
  }
  for (; first + Few::kChannels <= channels; first += Few::kChannels) {
    body.template run<Few>(first);
  }
  for (; first < channels; ++first) body.template run<One>(first);
}

// Calls body(part, first row, row after the last, VectorWidth) for all parts, from several threads.
template <class Body>
void for_parts(const sdk::Host& host, const ChannelRows& shape, std::int64_t picoseconds,
               const Body& body) {
  const std::int64_t elements = shape.part_rows * shape.channels;
  host.parallel_for(0, shape.parts, grain_for(picoseconds * std::max<std::int64_t>(elements, 1)),
                    [&](std::int64_t begin, std::int64_t end) {
                      run_widest([&](auto width) LOCI_INLINE {
                        for (std::int64_t part = begin; part < end; ++part) {
                          const std::int64_t from = part * shape.part_rows;
                          body(part, from, std::min(from + shape.part_rows, shape.rows), width);
                        }
                      });
                    });
}

// Calls body(row) for all rows, from several threads.
template <class Body>
void for_rows(const sdk::Host& host, const ChannelRows& shape, std::int64_t picoseconds,
              const Body& body) {
  const std::int64_t row = picoseconds * std::max<std::int64_t>(shape.channels, 1);
  host.parallel_for(0, shape.rows, grain_for(row), [&](std::int64_t begin, std::int64_t end) {
    run_widest([&](auto) LOCI_INLINE {
      for (std::int64_t i = begin; i < end; ++i) body(i);
    });
  });
}

}  // namespace loci::kernels
