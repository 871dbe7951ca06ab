// Winograd's convolution: the transform of the inputs, V = B^T d B, one channel in each lane.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plugins/kernels/float_vectors.h"
#include "plugins/kernels/winograd_plan.h"
#include "plugins/kernels/winograd_points.h"

namespace loci::kernels::winograd {

// Tiles of a block that follow each other in one row of tiles of one image.
struct Run {
  std::int64_t image;
  std::int64_t row;     // of tiles
  std::int64_t column;  // of the first tile
  std::int64_t tiles;
  std::int64_t first;  // tile within the block
};

// Calls visit(run) for the runs of a block.
template <class Visit>
LOCI_INLINE inline void for_runs(const WinogradPlan& plan, std::int64_t block_index,
                                 const Visit& visit) {
  const std::int64_t begin = block_index * plan.block;
  const std::int64_t count = plan.tiles_of(block_index);
  for (std::int64_t i = 0; i < count;) {
    const std::int64_t row = (begin + i) / plan.tile_columns;
    const std::int64_t column = (begin + i) % plan.tile_columns;
    const std::int64_t tiles = std::min(plan.tile_columns - column, count - i);
    visit(Run{row / plan.tile_rows, row % plan.tile_rows, column, tiles, i});
    i += tiles;
  }
}

// Reads the same rows of the images of several channels, one in each lane. The last channel takes
// the place of those beyond it, whose results nobody reads.
template <int bytes>
class ChannelRows {
 public:
  using V = typename FloatVector<bytes>::type;
  static constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;

  LOCI_INLINE ChannelRows(const WinogradPlan& plan, const float* x, std::int64_t image,
                          std::int64_t channel)
      : height_(plan.shape.window.height.input), width_(plan.shape.window.width.input) {
    const std::int64_t channels = plan.shape.group_channels;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const std::int64_t at = image * channels + std::min(channel + lane, channels - 1);
      planes_[lane] = x + at * height_ * width_;
    }
  }

  // Columns [column, column + 4) of a row, zeros outside of the image.
  LOCI_INLINE void read(std::int64_t row, std::int64_t column, V (&out)[4]) const {
    const bool is_outside = row < 0 || row >= height_ || column <= -4 || column >= width_;
    if (is_outside) {
      for (V& vector : out) vector = V{};
    } else if (column >= 0 && column + 4 <= width_) {
      read_inside(row * width_ + column, out);
    } else if (width_ >= 4) {
      read_across_edge(row, column, out);
    } else {
      read_narrow(row, column, out);
    }
  }

 private:
  LOCI_INLINE void read_inside(std::int64_t offset, V (&out)[4]) const {
    for (std::int64_t i = 0; i < 4; ++i) {
      gather_fours<bytes>(out[i], [&](std::int64_t square, FourFloats& four) LOCI_INLINE {
        load(four, planes_[4 * square + i] + offset);
      });
    }
    transpose_fours<bytes>(out);
  }
  // Reads the nearest four columns of the image, of which some are wanted.
  LOCI_INLINE void read_across_edge(std::int64_t row, std::int64_t column, V (&out)[4]) const {
    const std::int64_t nearest = std::clamp<std::int64_t>(column, 0, width_ - 4);
    V inside[4];
    read_inside(row * width_ + nearest, inside);
    V padded[12] = {};
    for (std::int64_t i = 0; i < 4; ++i) padded[4 + i] = inside[i];
    for (std::int64_t i = 0; i < 4; ++i) out[i] = padded[4 + i + column - nearest];
  }
  LOCI_INLINE void read_narrow(std::int64_t row, std::int64_t column, V (&out)[4]) const {
    float lanes[4][kLanes] = {};
    for (std::int64_t i = std::max<std::int64_t>(0, -column);
         i < std::min<std::int64_t>(4, width_ - column); ++i) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        lanes[i][lane] = planes_[lane][row * width_ + column + i];
      }
    }
    for (std::int64_t i = 0; i < 4; ++i) load(out[i], lanes[i]);
  }

  std::int64_t height_;
  std::int64_t width_;
  const float* planes_[kLanes];
};

// Reads the same rows of images whose channels lie side by side.
template <int bytes>
class PixelRows {
 public:
  using V = typename FloatVector<bytes>::type;
  static constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;

  LOCI_INLINE PixelRows(const WinogradPlan& plan, const float* x, std::int64_t image,
                        std::int64_t channel)
      : height_(plan.shape.window.height.input),
        width_(plan.shape.window.width.input),
        channels_(plan.shape.group_channels),
        count_(std::min(kLanes, channels_ - channel)),
        pixels_(x + image * height_ * width_ * channels_ + channel) {}

  LOCI_INLINE void read(std::int64_t row, std::int64_t column, V (&out)[4]) const {
    for (std::int64_t i = 0; i < 4; ++i) {
      const bool is_inside = row >= 0 && row < height_ && column + i >= 0 && column + i < width_;
      if (!is_inside) {
        out[i] = V{};
        continue;
      }
      const float* from = pixels_ + (row * width_ + column + i) * channels_;
      if (count_ == kLanes) {
        load(out[i], from);
      } else {
        float lanes[kLanes] = {};
        std::copy_n(from, count_, lanes);
        load(out[i], lanes);
      }
    }
  }

 private:
  std::int64_t height_;
  std::int64_t width_;
  std::int64_t channels_;
  std::int64_t count_;  // of channels that there are
  const float* pixels_;
};

// Four columns of a row of tiles, transformed along the columns: [column][element].
template <int bytes, class Tile>
struct Columns {
  using V = typename FloatVector<bytes>::type;

  template <class Rows>
  LOCI_INLINE void read(const Rows& rows, std::int64_t row, std::int64_t column) {
    V raw[Tile::kInputs][4];
    for (std::int64_t i = 0; i < Tile::kInputs; ++i) rows.read(row + i, column, raw[i]);
    for (std::int64_t i = 0; i < 4; ++i) Tile::transform_input(&raw[0][i], 4, elements[i]);
  }

  V elements[4][Tile::kInputs];
};

// One group of channels of a run, the first of which is `channel`; `inputs` are the block's.
template <int bytes, class Tile, class Rows>
LOCI_INLINE inline void transform_run(const WinogradPlan& plan, const float* x, const Run& run,
                                      std::int64_t channel, float* inputs) {
  using V = typename FloatVector<bytes>::type;
  constexpr std::int64_t kInputs = Tile::kInputs;
  const Rows rows(plan, x, run.image, channel);
  const std::int64_t row = run.row * Tile::kOutputs - plan.shape.window.height.before;
  const std::int64_t column = run.column * Tile::kOutputs - plan.shape.window.width.before;
  // Four columns, and the four behind them: tiles overlap.
  Columns<bytes, Tile> columns[2];
  columns[1].read(rows, row, column);
  const auto put = [&](std::int64_t tile, std::int64_t offset) LOCI_INLINE {
    float* to = inputs + (run.first + tile) * plan.input_row + channel;
    for (std::int64_t i = 0; i < kInputs; ++i) {
      V transformed[kInputs];
      Tile::transform_input(&columns[0].elements[offset][i], kInputs, transformed);
      for (std::int64_t j = 0; j < kInputs; ++j) {
        store(transformed[j], to + (i * kInputs + j) * plan.element_size);
      }
    }
  };
  constexpr std::int64_t kTiles = 4 / Tile::kOutputs;  // that begin in four columns
  for (std::int64_t tile = 0; tile < run.tiles; tile += kTiles) {
    columns[0] = columns[1];
    columns[1].read(rows, row, column + (tile / kTiles + 1) * 4);
    for (std::int64_t i = 0; i < std::min(kTiles, run.tiles - tile); ++i) {
      put(tile + i, i * Tile::kOutputs);
    }
  }
}

}  // namespace loci::kernels::winograd
