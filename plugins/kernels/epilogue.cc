#include "plugins/kernels/epilogue.h"

#include <algorithm>
#include <cmath>

#include "plugins/kernels/activation_choice.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"

namespace loci::kernels {
namespace {

// Elements that stay in the first cache from one step to the next.
constexpr std::int64_t kBlock = 2048;

template <class F>
LOCI_INLINE inline void map(float* values, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) values[i] = F::value(values[i]);
}

template <>
LOCI_INLINE inline void map<Identity>(float* /*values*/, std::int64_t /*count*/) {}

LOCI_INLINE inline void apply(Activation activation, float* values, std::int64_t count) {
  visit_activation(activation,
                   [&](auto function) LOCI_INLINE { map<decltype(function)>(values, count); });
}

LOCI_INLINE inline void add(float* out, const float* x, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] += x[i];
}

LOCI_INLINE inline void multiply(float* out, const float* factor, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] *= factor[i];
}

LOCI_INLINE inline void finish_row(const RowEpilogue& epilogue, float* out, std::int64_t position,
                                   std::int64_t column, std::int64_t columns) {
  if (epilogue.factor != nullptr) multiply(out + position, epilogue.factor + column, columns);
  if (epilogue.bias != nullptr) add(out + position, epilogue.bias + column, columns);
  if (epilogue.residual != nullptr) add(out + position, epilogue.residual + position, columns);
  apply(epilogue.activation, out + position, columns);
}

// Part of one plane.
LOCI_INLINE inline void finish_plane(const PlaneEpilogue& epilogue, float* out, std::int64_t begin,
                                     std::int64_t count, std::int64_t channel) {
  const float factor = epilogue.factor == nullptr ? 1.0F : epilogue.factor[channel];
  const float offset = epilogue.offset == nullptr ? 0.0F : epilogue.offset[channel];
  float* values = out + begin;
  if (epilogue.factor != nullptr || epilogue.offset != nullptr) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] * factor + offset;
  }
  if (epilogue.residual != nullptr) add(values, epilogue.residual + begin, count);
  apply(epilogue.activation, values, count);
}

// A whole plane, by parts that stay in the nearest cache.
LOCI_INLINE inline void finish_image(const PlaneEpilogue& epilogue, float* out, std::int64_t begin,
                                     std::int64_t plane, std::int64_t channel) {
  for (std::int64_t done = 0; done < plane; done += kBlock) {
    finish_plane(epilogue, out, begin + done, std::min(kBlock, plane - done), channel);
  }
}

// Elements that lie side by side, the first of which is of a pixel's first channel of `factors` and
// `offsets`, which go on as the channels do.
LOCI_INLINE inline void finish_run(const PlaneEpilogue& epilogue, float* out, std::int64_t begin,
                                   std::int64_t count, const float* factors, const float* offsets) {
  float* values = out + begin;
  if (epilogue.factor != nullptr) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] * factors[i] + offsets[i];
  } else if (epilogue.offset != nullptr) {
    add(values, offsets, count);
  }
  if (epilogue.residual != nullptr) add(values, epilogue.residual + begin, count);
  apply(epilogue.activation, values, count);
}

// All channels of the pixels: they lie side by side, and a few pixels' worth of factors saves a
// short loop for each.
LOCI_INLINE inline void finish_whole_pixels(const PlaneEpilogue& epilogue, float* out,
                                            std::int64_t channels, std::int64_t begin,
                                            std::int64_t count) {
  float factors[kBlock];
  float offsets[kBlock];
  const std::int64_t block = kBlock / channels * channels;
  for (std::int64_t i = 0; i < std::min(block, count); i += channels) {
    if (epilogue.factor != nullptr) std::copy_n(epilogue.factor, channels, factors + i);
    if (epilogue.offset != nullptr) std::copy_n(epilogue.offset, channels, offsets + i);
  }
  for (std::int64_t done = 0; done < count; done += block) {
    finish_run(epilogue, out, begin + done, std::min(block, count - done), factors, offsets);
  }
}

LOCI_INLINE inline void finish_pixels(const PlaneEpilogue& epilogue, float* out,
                                      const ImageSize& size, const PlaneRegion& region) {
  for (std::int64_t i = region.image; i < region.image + region.images; ++i) {
    const std::int64_t first = (i * size.plane + region.pixel) * size.channels;
    if (region.channels == size.channels && size.channels <= kBlock) {
      finish_whole_pixels(epilogue, out, size.channels, first, region.pixels * size.channels);
      continue;
    }
    const float* factors = epilogue.factor == nullptr ? nullptr : epilogue.factor + region.channel;
    const float* offsets = epilogue.offset == nullptr ? nullptr : epilogue.offset + region.channel;
    for (std::int64_t pixel = 0; pixel < region.pixels; ++pixel) {
      finish_run(epilogue, out, first + pixel * size.channels + region.channel, region.channels,
                 factors, offsets);
    }
  }
}

// Returns what an element costs, most of it the activation.
std::int64_t picoseconds_of(Activation activation) {
  constexpr std::int64_t kSums = 100;
  return kSums + visit_activation(activation, [](auto function) -> std::int64_t {
           using F = decltype(function);
           if constexpr (requires { F::kPicoseconds; }) {
             return F::kPicoseconds;
           } else {
             return 0;
           }
         });
}

}  // namespace

void activate(Activation activation, float* values, std::int64_t count) {
  run_widest([&](auto) LOCI_INLINE { apply(activation, values, count); });
}

void finish_rows(const RowEpilogue& epilogue, float* out, std::int64_t stride, std::int64_t row,
                 std::int64_t rows, std::int64_t column, std::int64_t columns) {
  run_widest([&](auto) LOCI_INLINE {
    for (std::int64_t r = row; r < row + rows; ++r) {
      for (std::int64_t done = 0; done < columns; done += kBlock) {
        const std::int64_t c = column + done;
        finish_row(epilogue, out, r * stride + c, c, std::min(kBlock, columns - done));
      }
    }
  });
}

void finish_matrix(const sdk::Host& host, const RowEpilogue& epilogue, float* out,
                   std::int64_t rows, std::int64_t columns) {
  if (epilogue.does_nothing()) return;
  const std::int64_t blocks = (columns + kBlock - 1) / kBlock;
  const std::int64_t elements = std::min(kBlock, columns);
  host.parallel_for(0, rows * blocks, grain_for(picoseconds_of(epilogue.activation) * elements),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        const std::int64_t column = i % blocks * kBlock;
                        finish_rows(epilogue, out, columns, i / blocks, 1, column,
                                    std::min(kBlock, columns - column));
                      }
                    });
}

void finish_region(const PlaneEpilogue& epilogue, float* out, const ImageSize& size,
                   const PlaneRegion& region) {
  run_widest([&](auto) LOCI_INLINE {
    if (size.layout == ImageLayout::kNhwc) return finish_pixels(epilogue, out, size, region);
    for (std::int64_t i = region.image; i < region.image + region.images; ++i) {
      for (std::int64_t c = region.channel; c < region.channel + region.channels; ++c) {
        const std::int64_t begin = (i * size.channels + c) * size.plane + region.pixel;
        finish_image(epilogue, out, begin, region.pixels, c);
      }
    }
  });
}

void finish_images(const sdk::Host& host, const PlaneEpilogue& epilogue, float* out,
                   std::int64_t batch, std::int64_t channels, std::int64_t plane) {
  const std::int64_t grain =
      grain_for(picoseconds_of(epilogue.activation) * std::max<std::int64_t>(plane, 1));
  host.parallel_for(0, batch * channels, grain, [&](std::int64_t begin, std::int64_t end) {
    run_widest([&](auto) LOCI_INLINE {
      for (std::int64_t image = begin; image < end; ++image) {
        finish_image(epilogue, out, image * plane, plane, image % channels);
      }
    });
  });
}

void fold_norm(const ChannelNorm& norm, std::int64_t channels, float* factor, float* offset) {
  run_widest([&](auto) LOCI_INLINE {
#pragma omp simd
    for (std::int64_t c = 0; c < channels; ++c) {
      factor[c] = norm.scale[c] / std::sqrt(norm.variance[c] + norm.epsilon);
      offset[c] = norm.shift[c] - norm.mean[c] * factor[c];
    }
    if (norm.bias == nullptr) return;
#pragma omp simd
    for (std::int64_t c = 0; c < channels; ++c) offset[c] += norm.bias[c] * factor[c];
  });
}

}  // namespace loci::kernels
