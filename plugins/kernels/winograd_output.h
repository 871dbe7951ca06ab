// Winograd's convolution: the transform of the products, Y = A^T M A, and what becomes of the sums;
// one filter in each lane.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plugins/kernels/epilogue.h"
#include "plugins/kernels/float_vectors.h"
#include "plugins/kernels/winograd_input.h"
#include "plugins/kernels/winograd_plan.h"
#include "plugins/kernels/winograd_points.h"

namespace loci::kernels::winograd {

// NaN stays NaN.
template <class V>
LOCI_INLINE inline void activate(Activation activation, V& value) {
  if (activation == Activation::kRelu) value = value < 0.0F ? V{} : value;
}

// Where the outputs of a tile go, for some filters.
class OutputTile {
 public:
  OutputTile(const WinogradPlan& plan, const PlaneEpilogue& epilogue, float* out)
      : epilogue_(&epilogue),
        out_(out),
        plane_(plan.shape.windows()),
        height_(plan.shape.window.height.output),
        width_(plan.shape.window.width.output) {}

  // The tile whose first output is (row, column), for `filters` filters, the first of which is the
  // `plane`-th of all images'.
  LOCI_INLINE void move_to(std::int64_t plane, std::int64_t filters, std::int64_t row,
                           std::int64_t column) {
    offset_ = plane * plane_ + row * width_ + column;
    filters_ = filters;
    rows_ = height_ - row;
    columns_ = width_ - column;
  }

  // y[row][column], each a vector of filters.
  template <int bytes, class V>
  LOCI_INLINE void put(V (&y)[4][4]) const {
    for (std::int64_t row = 0; row < std::min<std::int64_t>(4, rows_); ++row) {
      transpose_fours<bytes>(y[row]);
      for (std::int64_t i = 0; i < 4; ++i) {
        for_fours<bytes>(y[row][i], [&](std::int64_t square, const FourFloats& four) LOCI_INLINE {
          if (4 * square + i >= filters_) return;
          put_row(offset_ + (4 * square + i) * plane_ + row * width_, four, 4);
        });
      }
    }
  }
  template <int bytes, class V>
  LOCI_INLINE void put(V (&y)[2][2]) const {
    V both[4] = {y[0][0], y[0][1], y[1][0], y[1][1]};
    transpose_fours<bytes>(both);
    for (std::int64_t i = 0; i < 4; ++i) {
      for_fours<bytes>(both[i], [&](std::int64_t square, const FourFloats& four) LOCI_INLINE {
        if (4 * square + i >= filters_) return;
        const std::int64_t offset = offset_ + (4 * square + i) * plane_;
        put_row(offset, four, 2);
        if (rows_ < 2) return;
        put_row(offset + width_, __builtin_shufflevector(four, four, 2, 3, 2, 3), 2);
      });
    }
  }

 private:
  LOCI_INLINE void put_row(std::int64_t offset, FourFloats four, std::int64_t most) const {
    float* to = out_ + offset;
    const std::int64_t count = std::min(most, columns_);
    if (epilogue_->residual != nullptr) {
      FourFloats residual{};
      copy(epilogue_->residual + offset, count, reinterpret_cast<float*>(&residual));
      four += residual;
      activate(epilogue_->activation, four);
    }
    copy(reinterpret_cast<const float*>(&four), count, to);
  }
  // Copies constant lengths, so that no function is called.
  LOCI_INLINE static void copy(const float* from, std::int64_t count, float* to) {
    if (count == 4) {
      std::memcpy(to, from, 4 * sizeof(float));
    } else if (count == 2) {
      std::memcpy(to, from, 2 * sizeof(float));
    } else {
      to[0] = from[0];
      if (count == 3) std::memcpy(to + 1, from + 1, 2 * sizeof(float));
    }
  }

  const PlaneEpilogue* epilogue_;
  float* out_;
  std::int64_t plane_;
  std::int64_t height_;
  std::int64_t width_;
  std::int64_t offset_ = 0;
  std::int64_t filters_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
};

// Says where the outputs of a tile go in results whose filters lie side by side.
class OutputPixels {
 public:
  OutputPixels(const WinogradPlan& plan, const PlaneEpilogue& epilogue, float* out)
      : epilogue_(&epilogue),
        out_(out),
        channels_(plan.filter.filters),
        height_(plan.shape.window.height.output),
        width_(plan.shape.window.width.output) {}

  LOCI_INLINE void move_to(std::int64_t plane, std::int64_t filters, std::int64_t row,
                           std::int64_t column) {
    const std::int64_t image = plane / channels_;
    offset_ = ((image * height_ + row) * width_ + column) * channels_ + plane % channels_;
    filters_ = filters;
    rows_ = height_ - row;
    columns_ = width_ - column;
  }

  template <int bytes, class V, std::int64_t size>
  LOCI_INLINE void put(V (&y)[size][size]) const {
    for (std::int64_t row = 0; row < std::min(size, rows_); ++row) {
      for (std::int64_t column = 0; column < std::min(size, columns_); ++column) {
        put_pixel<bytes>(offset_ + (row * width_ + column) * channels_, y[row][column]);
      }
    }
  }

 private:
  template <int bytes, class V>
  LOCI_INLINE void put_pixel(std::int64_t offset, V& value) const {
    const bool is_full = filters_ == FloatVector<bytes>::kLanes;
    if (epilogue_->residual != nullptr) {
      V residual{};
      if (is_full) {
        load(residual, epilogue_->residual + offset);
      } else {
        std::copy_n(epilogue_->residual + offset, filters_, reinterpret_cast<float*>(&residual));
      }
      value += residual;
      activate(epilogue_->activation, value);
    }
    if (is_full) {
      store(value, out_ + offset);
    } else {
      std::copy_n(reinterpret_cast<const float*>(&value), filters_, out_ + offset);
    }
  }

  const PlaneEpilogue* epilogue_;
  float* out_;
  std::int64_t channels_;
  std::int64_t height_;
  std::int64_t width_;
  std::int64_t offset_ = 0;
  std::int64_t filters_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
};

// The scale and shift of as many filters as a vector holds; 1 and 0 where there are none, and
// beyond `count`.
template <int bytes>
struct Affine {
  using V = typename FloatVector<bytes>::type;

  LOCI_INLINE Affine(const PlaneEpilogue& epilogue, std::int64_t filter, std::int64_t count) {
    float scales[FloatVector<bytes>::kLanes];
    float shifts[FloatVector<bytes>::kLanes];
    for (std::int64_t i = 0; i < FloatVector<bytes>::kLanes; ++i) {
      scales[i] = epilogue.factor == nullptr || i >= count ? 1.0F : epilogue.factor[filter + i];
      shifts[i] = epilogue.offset == nullptr || i >= count ? 0.0F : epilogue.offset[filter + i];
    }
    load(scale, scales);
    load(shift, shifts);
    has_scale = epilogue.factor != nullptr;
    has_shift = epilogue.offset != nullptr;
  }
  LOCI_INLINE void apply(V& value) const {
    if (has_scale)
      value = value * scale + shift;
    else if (has_shift)
      value += shift;
  }

  V scale;
  V shift;
  bool has_scale;
  bool has_shift;
};

// y = A^T m A for a vector of filters; m is [element][width].
template <class Tile, class V>
LOCI_INLINE inline void transform_back(const float* m, std::int64_t width,
                                       V (&y)[Tile::kOutputs][Tile::kOutputs]) {
  constexpr std::int64_t kInputs = Tile::kInputs;
  V columns[Tile::kOutputs][kInputs];
  for (std::int64_t column = 0; column < kInputs; ++column) {
    V products[kInputs];
    for (std::int64_t i = 0; i < kInputs; ++i)
      load(products[i], m + (i * kInputs + column) * width);
    V outputs[Tile::kOutputs];
    Tile::transform_output(products, 1, outputs);
    for (std::int64_t i = 0; i < Tile::kOutputs; ++i) columns[i][column] = outputs[i];
  }
  for (std::int64_t i = 0; i < Tile::kOutputs; ++i) Tile::transform_output(columns[i], 1, y[i]);
}

// A block's products with one panel, the filters from `filter` on. Target: OutputTile or
// OutputPixels.
template <int bytes, class Tile, class Target>
LOCI_INLINE inline void finish_block(const WinogradPlan& plan, std::int64_t block_index,
                                     std::int64_t filter, const float* products,
                                     const PlaneEpilogue& epilogue, float* out) {
  using V = typename FloatVector<bytes>::type;
  constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;
  Target target(plan, epilogue, out);
  for (std::int64_t half = 0; half < 2; ++half) {
    const std::int64_t first = filter + half * kLanes;
    const std::int64_t count = std::min(kLanes, plan.filter.filters - first);
    if (count <= 0) break;
    const Affine<bytes> affine(epilogue, first, count);
    for_runs(plan, block_index, [&](const Run& run) LOCI_INLINE {
      for (std::int64_t tile = 0; tile < run.tiles; ++tile) {
        V y[Tile::kOutputs][Tile::kOutputs];
        transform_back<Tile>(products + (run.first + tile) * plan.product_row + half * kLanes,
                             plan.filter.width, y);
        for (auto& row : y) {
          for (V& value : row) {
            affine.apply(value);
            if (epilogue.residual == nullptr) activate(epilogue.activation, value);
          }
        }
        target.move_to(run.image * plan.filter.filters + first, count, run.row * Tile::kOutputs,
                       (run.column + tile) * Tile::kOutputs);
        target.template put<bytes>(y);
      }
    });
  }
}

}  // namespace loci::kernels::winograd
