// Convolutions as a launch describes them: what each place of a result gathers from images. For
// both sides of it. Steps are in elements.
#pragma once

#include <cstdint>

#include "kernels/activation.h"
#include "kernels/division.h"

namespace loci::cuda {

// `by` is of no use where there are fewer than 2.
struct Extent {
  std::int64_t count;
  Division by;
};

// One axis of images. Place o of the result meets by tap k the element (o * scale + shift + k *
// dilation) / divisor of the source, where that is a whole number of one that is there. With a
// divisor of 1 the result is a convolution, with a scale of 1 the gradient of one's image.
struct ConvAxis {
  Extent places;
  std::int64_t elements;
  std::int64_t taps;
  std::int64_t scale;
  std::int64_t shift;
  std::int64_t dilation;
  Extent divisor;
  // Places `divisor` apart are a phase. Only every so many taps meet anything there, elements so
  // far apart.
  std::int64_t tap_step;
  std::int64_t element_step;
  Extent phases;
  Extent phase_places;  // at most
};

// result[image, group, row, place] = the sum over channels and taps of weights[group, row, channel,
// tap] * source[image, group, channel, element]. Images and results are dense, channels before
// places; a row is a channel of the result.
struct ConvGather {
  ConvAxis height;
  ConvAxis width;
  std::int64_t batch;
  Extent groups;
  Extent rows;            // of a group
  std::int64_t channels;  // of a group
  std::int64_t group_weights;
  std::int64_t row_weights;
  std::int64_t channel_weights;
  Extent row_tiles;
  Extent column_tiles;  // of a phase
};

// What is done to a result: activation(norm(result + bias) + residual). Null is what is not there.
struct ConvEnding {
  const void* bias;   // one for each channel of the result, as the following
  const void* scale;  // norm(x) = (x - mean) * scale / sqrt(variance + epsilon) + shift
  const void* shift;  // there with the scale, and the statistics, which are as wide as sums are
  const void* mean;
  const void* variance;
  const void* residual;  // one for each element of the result
  double epsilon;
  Activation activation;
};

// The parts of a product that a block computes: so many rows, of as many columns.
inline constexpr int kConvColumns = 64;
inline constexpr int kConvManyRows = 64;
inline constexpr int kConvFewRows = 16;

// The gradient of the filter: sums over windows, in parts of so many.
struct ConvParts {
  std::int64_t windows;  // of all images
  std::int64_t chunk;
  std::int64_t parts;
  std::int32_t width;  // of the threads that sum one weight, where tiles would be mostly empty
};

}  // namespace loci::cuda
