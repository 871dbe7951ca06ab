#include "kernels/conv2d_shape.h"

#include <algorithm>
#include <loci/plugin/error.hpp>
#include <numeric>

#include "kernels/block_threads.h"
#include "kernels/team_size.h"

namespace loci::cuda {
namespace {

// Rows of so few would leave tiles mostly empty.
constexpr std::int64_t kDirectRows = 4;

// Few weights are summed in parts until there are so many blocks, as long as a part has so many
// windows: these depend on the shape alone, and so do results.
constexpr std::int64_t kWantedBlocks = 512;
constexpr std::int64_t kWindowsOfPart = 512;

// From so many on, a whole block sums one weight.
constexpr std::int64_t kWindowsOfBlock = 1024;

Extent extent_of(std::int64_t count) {
  return {count, division_by(std::max<std::int64_t>(count, 2))};
}

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

// The padding and the windows along one axis.
bool is_counted(const sdk::WindowAxis& axis) {
  return std::max({axis.span(), axis.before, axis.after}) <= sdk::kMaxWindowExtent;
}

ConvForm filter_form_of(const sdk::ConvShape& shape) {
  if (shape.group_filters <= kDirectRows) return ConvForm::kDirect;
  return shape.group_filters <= kConvManyRows / 2 ? ConvForm::kFewRows : ConvForm::kManyRows;
}

ConvParts parts_of(std::int64_t windows, std::int64_t blocks) {
  const std::int64_t most = std::max<std::int64_t>(windows / kWindowsOfPart, 1);
  const std::int64_t wanted = std::clamp<std::int64_t>(kWantedBlocks / blocks, 1, most);
  ConvParts parts{};
  parts.windows = windows;
  parts.chunk = std::max<std::int64_t>(quotient_up(windows, wanted), 1);
  parts.parts = std::max<std::int64_t>(quotient_up(windows, parts.chunk), 1);
  return parts;
}

}  // namespace

void require_counted(const sdk::ConvShape& shape) {
  if (is_counted(shape.window.height) && is_counted(shape.window.width)) return;
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "a window or a padding spans 2^31 pixels or more");
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
  if (gather.rows.count <= kDirectRows) return ConvForm::kDirect;
  if (gather.rows.count <= kConvManyRows / 2) return ConvForm::kFewRows;
  ConvGather tiled = gather;
  set_tiles(tiled, ConvForm::kManyRows, columns_of(gather));
  return tiles_of(tiled) < multiprocessors ? ConvForm::kFewRows : ConvForm::kManyRows;
}

std::int64_t take_form(ConvGather& gather, ConvForm form) {
  if (form == ConvForm::kDirect) {
    return gather.batch * gather.groups.count * gather.rows.count * gather.height.places.count *
           gather.width.places.count;
  }
  set_tiles(gather, form, columns_of(gather));
  return tiles_of(gather) * kBlockThreads;
}

ConvFilterPlan::ConvFilterPlan(const sdk::ConvShape& shape)
    : ConvFilterPlan(shape, filter_form_of(shape)) {}

ConvFilterPlan::ConvFilterPlan(const sdk::ConvShape& shape, ConvForm taken)
    : gather(gather_of(shape)),
      form(taken),
      weights(shape.groups * shape.group_filters * shape.window_size()) {
  set_tiles(gather, form, shape.window_size());
  const std::int64_t windows = shape.batch * shape.windows();
  const std::int64_t width = windows < kWindowsOfBlock ? kTeamWarp : kTeamBlock;
  const std::int64_t team_threads =
      form == ConvForm::kDirect ? weights * width : tiles_of(gather) * kTeamBlock;
  parts = parts_of(windows, quotient_up(team_threads, kTeamBlock));
  parts.width = static_cast<std::int32_t>(width);
  threads = parts.parts * team_threads;
}

}  // namespace loci::cuda
