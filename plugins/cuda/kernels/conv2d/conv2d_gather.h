// Convolutions as a launch describes them: what each place of a result gathers from images. For
// both sides of it. Steps are in elements.
#pragma once

#include <cstdint>

#include "kernels/epilogue/activation.h"
#include "kernels/launch/fast_divmod.h"

namespace loci::cuda {

// `by` is of no use where there are fewer than 2.
struct Extent {
  std::int64_t count;
  FastDivision by;
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

// The division of a few thousand by 2 or more: it is the upper half of a product by factor =
// floor(2^32 / divisor) + 1.
struct ShortDivision {
  std::int32_t divisor;
  std::uint32_t factor;
};

// Where there are few rows, a block computes tiles of places in one phase of some groups, a thread
// one place or some. It has the patch of a channel that their windows cover in shared memory.
struct ConvPatch {
  std::int32_t height_bits;  // of a tile's rows that are computed at once, a power of two
  std::int32_t width_bits;   // of the tile's columns
  std::int32_t turns;        // that a thread takes at rows
  std::int32_t planes;       // groups that have their tiles in a block
  ShortDivision width;       // of the patch
  ShortDivision size;
  Extent down;  // tiles of a phase
  Extent across;
  std::int64_t sets;  // of so many groups, those of all images together
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
  // The form asks for these tiles or for the patch.
  Extent row_tiles;
  Extent column_tiles;  // of a phase; in the filter's gradient of weights
  ConvPatch patch;
};

// The epilogue of a result: activation(norm(result + bias) + residual). Null is what is not there.
struct ConvEpilogue {
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
// So many elements of patches, and of weights, are in shared memory; rows are so many at most, and
// so are a thread's places.
inline constexpr int kPatchElements = 2048;
inline constexpr int kPatchTerms = 1024;
inline constexpr int kPatchRows = 4;
inline constexpr int kPatchTurns = 4;
// The weights of a row that such threads sum at once: those of most windows of one channel.
inline constexpr int kWeightsOfTeam = 9;

// The gradient of the filter: sums over windows, in parts of so many.
struct ConvParts {
  std::int64_t windows;  // of all images
  std::int64_t chunk;
  std::int64_t parts;
  std::int32_t width;  // of the threads that sum a few weights where tiles would be mostly empty
};

}  // namespace loci::cuda
