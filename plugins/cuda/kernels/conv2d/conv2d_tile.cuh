// Tiles of a convolution's results, which blocks compute in turns: rows of a group, and columns
// that are places of images.
#pragma once

#include "kernels/conv2d/conv2d_gather.cuh"

namespace loci::cuda {

// Which part of which result a block computes: rows of a group, columns of a phase.
struct ConvTile {
  std::int64_t group;
  std::int64_t row;
  std::int64_t column;
  ImagePhase phase;
};

// Tiles of the same columns follow one another, so that they find the source in the caches.
template <int rows>
__device__ ConvTile conv_tile(const ConvGather& gather, std::int64_t index) {
  const Split row = split(index, gather.row_tiles);
  const Split column = split(row.outer, gather.column_tiles);
  const Split width = split(column.outer, gather.width.phases);
  const Split height = split(width.outer, gather.height.phases);
  return {height.outer,
          row.rest * rows,
          column.rest * kConvColumns,
          {phase_at(gather.height, height.rest), phase_at(gather.width, width.rest)}};
}

// A column of a phase: an image, and a place in it.
struct Column {
  std::int64_t image;
  std::int64_t i;
  std::int64_t j;
};

__device__ inline Column column_at(const ConvGather& gather, std::int64_t index) {
  const Split line = split(index, gather.width.phase_places);
  const Split image = split(line.outer, gather.height.phase_places);
  return {image.outer, image.rest, line.rest};
}

// Among the images of one channel each; negative if there is none.
__device__ inline std::int64_t place_of(const ConvGather& gather, const ImagePhase& phase,
                                        const Column& column) {
  const std::int64_t h = phase.height.first_place + column.i * gather.height.divisor.count;
  const std::int64_t w = phase.width.first_place + column.j * gather.width.divisor.count;
  const bool is_there = column.image < gather.batch && h < gather.height.places.count &&
                        w < gather.width.places.count;
  return is_there ? h * gather.width.places.count + w : -1;
}

// Returns the place of the first row's result among all; negative if the column has none.
__device__ inline std::int64_t position_of(const ConvGather& gather, const ConvTile& tile,
                                           const Column& column) {
  const std::int64_t place = place_of(gather, tile.phase, column);
  if (place < 0) return place;
  const std::int64_t group = column.image * gather.groups.count + tile.group;
  return (group * gather.rows.count + tile.row) * gather.height.places.count *
             gather.width.places.count +
         place;
}

__device__ inline std::int64_t tiles_of(const ConvGather& gather) {
  return gather.row_tiles.count * gather.column_tiles.count * gather.height.phases.count *
         gather.width.phases.count * gather.groups.count;
}

}  // namespace loci::cuda
