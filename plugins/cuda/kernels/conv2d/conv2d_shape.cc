#include "kernels/conv2d/conv2d_shape.h"

#include <algorithm>
#include <cstdlib>
#include <loci/plugin/error.hpp>
#include <numeric>

#include "kernels/launch/block_threads.h"
#include "kernels/launch/team_size.h"

namespace loci::cuda {
namespace {

// Rows of so few would leave tiles mostly empty.
constexpr std::int64_t kDirectRows = kPatchRows;

// Few weights are summed in parts until there are so many blocks, as long as a part has so many
// windows: these depend on the shape alone, and so do results.
constexpr std::int64_t kWantedTiles = 512;
constexpr std::int64_t kWindowsOfTile = 512;
constexpr std::int64_t kWindowsOfThread = 16;

// The edges of wider ones are few, and their elements whole sectors.
constexpr std::int64_t kWidestPatch = 2 * kTeamWarp;

// From so many on, a whole block sums a few weights.
constexpr std::int64_t kWindowsOfBlock = 1024;

ConvAxis forward_axis(const sdk::WindowAxis& axis) {
  ConvAxis result{};
  result.places = extent_of(axis.output);
  result.elements = axis.input;
  result.taps = axis.kernel;
  result.scale = axis.stride;
  result.shift = -axis.before;
  result.dilation = axis.dilation;
  result.divisor = extent_of(1);
  result.tap_step = 1;
  result.element_step = axis.dilation;
  result.phases = extent_of(1);
  result.phase_places = extent_of(axis.output);
  return result;
}

// Pixel i is element k of the window (i + before - k * dilation) / stride.
ConvAxis image_grad_axis(const sdk::WindowAxis& axis) {
  const std::int64_t divisor = std::gcd(axis.stride, axis.dilation);
  ConvAxis result{};
  result.places = extent_of(axis.input);
  result.elements = axis.output;
  result.taps = axis.kernel;
  result.scale = 1;
  result.shift = axis.before;
  result.dilation = -axis.dilation;
  result.divisor = extent_of(axis.stride);
  result.tap_step = axis.stride / divisor;
  result.element_step = -axis.dilation / divisor;
  result.phases = extent_of(std::min(axis.stride, axis.input));
  result.phase_places = extent_of(quotient_up(axis.input, axis.stride));
  return result;
}

std::int64_t rows_of(ConvForm form) {
  return form == ConvForm::kManyRows ? kConvManyRows : kConvFewRows;
}

std::int64_t phases_of(const ConvGather& gather) {
  return gather.height.phases.count * gather.width.phases.count;
}

std::int64_t tiles_of(const ConvGather& gather) {
  return gather.groups.count * phases_of(gather) * gather.row_tiles.count *
         gather.column_tiles.count;
}

void set_tiles(ConvGather& gather, ConvForm form, std::int64_t columns) {
  gather.row_tiles = extent_of(quotient_up(gather.rows.count, rows_of(form)));
  gather.column_tiles = extent_of(quotient_up(columns, kConvColumns));
}

std::int64_t columns_of(const ConvGather& gather) {
  return gather.batch * gather.height.phase_places.count * gather.width.phase_places.count;
}

std::int32_t power_bits(std::int64_t power) {
  std::int32_t bits = 0;
  while (std::int64_t{1} << bits < power) ++bits;
  return bits;
}

// Taps of a phase, at most.
std::int64_t phase_taps(const ConvAxis& axis) { return quotient_up(axis.taps, axis.tap_step); }

// Elements from the first to the last that the windows of so many places cover.
std::int64_t covered(const ConvAxis& axis, std::int64_t places) {
  return (places - 1) * axis.scale + (phase_taps(axis) - 1) * std::abs(axis.element_step) + 1;
}

// Returns true if windows side by side leave no elements out, and no threads wait for one bank.
bool are_overlapping(const ConvAxis& axis) {
  return axis.scale <= covered(axis, 1) && axis.scale <= 3;
}

ShortDivision short_division(std::int64_t divisor) {
  return {
      static_cast<std::int32_t>(divisor),
      static_cast<std::uint32_t>((std::uint64_t{1} << 32) / static_cast<std::uint64_t>(divisor)) +
          1};
}

// Plans a patch for threads that take so many turns; with no planes where not even one fits.
ConvPatch patch_of(const ConvGather& gather, std::int64_t turns) {
  ConvPatch patch{};
  const std::int64_t wide = std::min(power_from(gather.width.phase_places.count), kWidestPatch);
  const std::int64_t high =
      std::min(power_from(gather.height.phase_places.count), turns * kTeamBlock / wide);
  const std::int64_t width = std::max<std::int64_t>(covered(gather.width, wide), 2);
  const std::int64_t height = covered(gather.height, high);
  if (gather.rows.count > kPatchRows || std::max(width, height) > kPatchElements) return patch;
  turns = std::min(turns, high);
  const std::int64_t terms =
      gather.rows.count * phase_taps(gather.height) * phase_taps(gather.width);
  const std::int64_t planes = std::min(
      {kTeamBlock * turns / (wide * high), kPatchElements / (width * height), kPatchTerms / terms});
  patch.planes = static_cast<std::int32_t>(planes);
  if (planes == 0) return patch;
  patch.turns = static_cast<std::int32_t>(turns);
  patch.height_bits = power_bits(high / turns);
  patch.width_bits = power_bits(wide);
  patch.width = short_division(width);
  patch.size = short_division(width * height);
  patch.down = extent_of(quotient_up(gather.height.phase_places.count, high));
  patch.across = extent_of(quotient_up(gather.width.phase_places.count, wide));
  patch.sets = quotient_up(gather.batch * gather.groups.count, planes);
  return patch;
}

std::int64_t blocks_of(const ConvGather& gather, const ConvPatch& patch) {
  return patch.sets * phases_of(gather) * patch.down.count * patch.across.count;
}

// Returns as many turns as fit, as long as there are enough blocks for a large device.
std::int64_t turns_of(const ConvGather& gather) {
  for (std::int64_t turns = kPatchTurns; turns > 1; turns /= 2) {
    const ConvPatch patch = patch_of(gather, turns);
    if (patch.planes > 0 && blocks_of(gather, patch) >= kWantedTiles) return turns;
  }
  return 1;
}

// The padding and the windows along one axis.
bool is_counted(const sdk::WindowAxis& axis) {
  return std::max({axis.span(), axis.before, axis.after}) <= sdk::kMaxWindowExtent;
}

// Returns true if so many planes of these extents have fewer elements than any device has bytes.
bool are_elements(double planes, std::int64_t height, std::int64_t width) {
  constexpr double kMost = std::int64_t{1} << 48;
  return planes * static_cast<double>(height) * static_cast<double>(width) < kMost;
}

// Returns true if image, filter and result may be in memory. A batch of no images counts as one.
bool is_held(const sdk::ConvShape& shape) {
  const auto& [height, width] = shape.window;
  const auto groups = static_cast<double>(std::max<std::int64_t>(shape.batch, 1) * shape.groups);
  const double images = groups * static_cast<double>(shape.group_channels);
  const double results = groups * static_cast<double>(shape.group_filters);
  return are_elements(images, height.input, width.input) &&
         are_elements(results, height.output, width.output) &&
         are_elements(results * static_cast<double>(shape.group_channels), height.kernel,
                      width.kernel);
}

ConvForm filter_form_of(const sdk::ConvShape& shape) {
  if (shape.group_filters <= kDirectRows) return ConvForm::kDirect;
  return shape.group_filters <= kConvManyRows / 2 ? ConvForm::kFewRows : ConvForm::kManyRows;
}

// Makes parts of at least so many windows each, where one part keeps so many blocks busy.
ConvParts parts_of(std::int64_t windows, std::int64_t blocks, std::int64_t least) {
  const std::int64_t most = std::max<std::int64_t>(windows / least, 1);
  const std::int64_t wanted = std::clamp<std::int64_t>(kWantedTiles / blocks, 1, most);
  ConvParts parts{};
  parts.windows = windows;
  parts.chunk = std::max<std::int64_t>(quotient_up(windows, wanted), 1);
  parts.parts = std::max<std::int64_t>(quotient_up(windows, parts.chunk), 1);
  return parts;
}

}  // namespace

Extent extent_of(std::int64_t count) {
  return {count, fast_division_by(std::max<std::int64_t>(count, 2))};
}

void require_counted(const sdk::ConvShape& shape) {
  if (!is_counted(shape.window.height) || !is_counted(shape.window.width)) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "a window or a padding spans 2^31 pixels or more");
  }
  if (!is_held(shape)) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "an image, a filter or a result has 2^48 elements");
  }
}

ConvGather gather_of(const sdk::ConvShape& shape) {
  ConvGather gather{};
  gather.height = forward_axis(shape.window.height);
  gather.width = forward_axis(shape.window.width);
  gather.batch = shape.batch;
  gather.groups = extent_of(shape.groups);
  gather.rows = extent_of(shape.group_filters);
  gather.channels = shape.group_channels;
  gather.group_weights = shape.group_filters * shape.window_size();
  gather.row_weights = shape.window_size();
  gather.channel_weights = shape.kernel_size();
  return gather;
}

ConvGather image_grad_of(const sdk::ConvShape& shape) {
  ConvGather gather = gather_of(shape);
  gather.height = image_grad_axis(shape.window.height);
  gather.width = image_grad_axis(shape.window.width);
  gather.rows = extent_of(shape.group_channels);
  gather.channels = shape.group_filters;
  std::swap(gather.row_weights, gather.channel_weights);
  return gather;
}

ConvForm form_of(const ConvGather& gather, std::uint32_t multiprocessors) {
  if (gather.rows.count <= kDirectRows) {
    return has_patches(gather) ? ConvForm::kPatch : ConvForm::kDirect;
  }
  if (gather.rows.count <= kConvManyRows / 2) return ConvForm::kFewRows;
  ConvGather tiled = gather;
  set_tiles(tiled, ConvForm::kManyRows, columns_of(gather));
  return tiles_of(tiled) < multiprocessors ? ConvForm::kFewRows : ConvForm::kManyRows;
}

bool has_patches(const ConvGather& gather) {
  return are_overlapping(gather.height) && are_overlapping(gather.width) &&
         patch_of(gather, 1).planes > 0;
}

std::int64_t take_form(ConvGather& gather, ConvForm form) {
  if (form == ConvForm::kPatch) return take_patches(gather, turns_of(gather));
  if (form == ConvForm::kDirect) {
    return gather.batch * gather.groups.count * gather.rows.count * gather.height.places.count *
           gather.width.places.count;
  }
  set_tiles(gather, form, columns_of(gather));
  return tiles_of(gather) * kBlockThreads;
}

std::int64_t take_patches(ConvGather& gather, std::int64_t turns) {
  gather.patch = patch_of(gather, turns);
  return blocks_of(gather, gather.patch) * kTeamBlock;
}

ConvFilterPlan::ConvFilterPlan(const sdk::ConvShape& shape)
    : ConvFilterPlan(shape, filter_form_of(shape)) {}

ConvFilterPlan::ConvFilterPlan(const sdk::ConvShape& shape, ConvForm taken)
    : gather(gather_of(shape)),
      form(taken),
      weights(shape.groups * shape.group_filters * shape.window_size()) {
  const std::int64_t windows = shape.batch * shape.windows();
  std::int64_t part_threads = 0;
  if (form == ConvForm::kDirect) {
    gather.column_tiles = extent_of(quotient_up(shape.window_size(), kWeightsOfTeam));
    const std::int64_t width = windows < kWindowsOfBlock ? kTeamWarp : kTeamBlock;
    part_threads = shape.groups * shape.group_filters * gather.column_tiles.count * width;
    parts = parts_of(windows, quotient_up(part_threads, kTeamBlock), width * kWindowsOfThread);
    parts.width = static_cast<std::int32_t>(width);
  } else {
    set_tiles(gather, form, shape.window_size());
    part_threads = tiles_of(gather) * kTeamBlock;
    parts = parts_of(windows, tiles_of(gather), kWindowsOfTile);
  }
  threads = parts.parts * part_threads;
}

}  // namespace loci::cuda
