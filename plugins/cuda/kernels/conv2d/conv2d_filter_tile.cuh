// Tiles of the gradient of a convolution's filter, each summed over a part of all windows.
#pragma once

#include "kernels/conv2d/conv2d_gather.cuh"

namespace loci::cuda {

// A convolution has all of its places in one phase.
__device__ inline ImagePhase all_places(const ConvGather& gather) {
  return {phase_at(gather.height, 0), phase_at(gather.width, 0)};
}

// A window among those of a channel of the result, and its elements.
struct Placed {
  Window window;
  std::int64_t result;
};

__device__ inline Placed placed(const ConvGather& gather, const ImagePhase& phase,
                                std::int64_t group, const Walk& walk) {
  const std::int64_t images = walk.outer() * gather.groups.count + group;
  const std::int64_t plane = images * gather.rows.count * gather.height.places.count;
  return {Window(gather, phase, images * gather.channels, walk.middle(), walk.inner(), true),
          (plane + walk.middle()) * gather.width.places.count + walk.inner()};
}

__device__ inline Walk walk_windows(const ConvGather& gather, std::int64_t first,
                                    std::int64_t step) {
  return {first, step, gather.height.places.count, gather.width.places.count};
}

__device__ inline Tap tap_of_column(const ConvGather& gather, const ImagePhase& phase,
                                    std::int64_t column) {
  const Walk walk(column, 0, gather.height.taps, gather.width.taps);
  return tap_at(gather, phase, walk.outer(), walk.middle(), walk.inner());
}

struct WindowRange {
  std::int64_t begin;
  std::int64_t end;
};

__device__ inline WindowRange part_of(const ConvParts& parts, std::int64_t part) {
  const std::int64_t begin = part * parts.chunk;
  const std::int64_t end = begin + parts.chunk;
  return {begin, end < parts.windows ? end : parts.windows};
}

template <class T, class C>
__device__ void leave(T* out, C* partial, const ConvParts& parts, std::int64_t weight,
                      std::int64_t part, std::int64_t weights, C sum) {
  if (parts.parts == 1) {
    out[weight] = Element<T>::narrow(sum);
  } else {
    partial[part * weights + weight] = sum;
  }
}

struct FilterTile {
  std::int64_t group;
  std::int64_t row;
  std::int64_t column;
  std::int64_t part;
};

template <int rows>
__device__ FilterTile filter_tile(const ConvGather& gather, std::int64_t index) {
  const Split row = split(index, gather.row_tiles);
  const Split column = split(row.outer, gather.column_tiles);
  const Split group = split(column.outer, gather.groups);
  return {group.rest, row.rest * rows, column.rest * kConvColumns, group.outer};
}

__device__ inline std::int64_t filter_tiles(const ConvGather& gather, const ConvParts& parts) {
  return gather.row_tiles.count * gather.column_tiles.count * gather.groups.count * parts.parts;
}

}  // namespace loci::cuda
