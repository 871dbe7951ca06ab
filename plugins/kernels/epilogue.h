// A fused op applies an epilogue to a product while that is in the cache.
#pragma once

#include <cstdint>
#include <loci/plugin/activation.hpp>
#include <loci/plugin/host.hpp>

#include "plugins/kernels/image_layout.h"

namespace loci::kernels {

using sdk::Activation;

// values[i] = activation(values[i]).
void activate(Activation activation, float* values, std::int64_t count);

// Finishes rows of a matrix product: activation(out[r, c] * factor[c] + bias[c] + residual[r, c]).
struct RowEpilogue {
  const float* bias = nullptr;      // null: none
  const float* residual = nullptr;  // null: none; its rows lie as those of the result
  Activation activation = Activation::kNone;
  const float* factor = nullptr;  // null: 1

  [[nodiscard]] bool does_nothing() const {
    return bias == nullptr && residual == nullptr && activation == Activation::kNone &&
           factor == nullptr;
  }
};

// Rows and columns of the result, the first of which are numbers `row` and `column` of the whole,
// with `stride` elements from one row to the next; `out` is the whole. On the calling thread.
void finish_rows(const RowEpilogue& epilogue, float* out, std::int64_t stride, std::int64_t row,
                 std::int64_t rows, std::int64_t column, std::int64_t columns);
// The whole of a dense result, on the thread team.
void finish_matrix(const sdk::Host& host, const RowEpilogue& epilogue, float* out,
                   std::int64_t rows, std::int64_t columns);

// Finishes dense [batch, channels, plane]: activation(out * factor[c] + offset[c] + residual).
struct PlaneEpilogue {
  const float* factor = nullptr;    // null: 1
  const float* offset = nullptr;    // null: 0
  const float* residual = nullptr;  // null: none
  Activation activation = Activation::kNone;
};

// A normalisation of channels by their statistics as such a factor and offset: factor = scale /
// sqrt(variance + epsilon), offset = shift - mean * factor + bias * factor. `bias` may be
// null: 0.
struct ChannelNorm {
  const float* scale;
  const float* shift;
  const float* mean;
  const float* variance;
  const float* bias;
  float epsilon;
};
void fold_norm(const ChannelNorm& norm, std::int64_t channels, float* factor, float* offset);

// A part of images [batch, channels, plane]: so many of each, from the first on.
struct PlaneRegion {
  std::int64_t image;
  std::int64_t images;
  std::int64_t channel;
  std::int64_t channels;
  std::int64_t pixel;
  std::int64_t pixels;
};
// How the whole lies; residuals lie alike.
struct ImageSize {
  std::int64_t channels;
  std::int64_t plane;
  ImageLayout layout = ImageLayout::kNchw;
};
// On the calling thread; `out` is the whole.
void finish_region(const PlaneEpilogue& epilogue, float* out, const ImageSize& size,
                   const PlaneRegion& region);
// The whole of them, on the thread team. `residual` may be `out` itself.
void finish_images(const sdk::Host& host, const PlaneEpilogue& epilogue, float* out,
                   std::int64_t batch, std::int64_t channels, std::int64_t plane);

}  // namespace loci::kernels
