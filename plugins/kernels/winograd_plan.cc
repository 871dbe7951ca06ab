#include "plugins/kernels/winograd_plan.h"

#include <algorithm>

#include "plugins/kernels/isa_variant.h"

namespace loci::kernels {
namespace {

// Multiplications that are worth a thread.
constexpr double kWorthwhile = 200'000;
// Floats of a cache line.
constexpr std::int64_t kLine = 16;
// The transformed inputs of a block stay in the second cache.
constexpr std::int64_t kBlockFloats = 256 * 1024 / 4;
// So few tiles make little use of the filter's panels, which pass by for each block; so many
// enough.
constexpr std::int64_t kFewTiles = 12;
constexpr std::int64_t kLeastTiles = 32;

std::int64_t panel_width(Isa isa) {
  return 2 * vector_bytes(isa) / static_cast<std::int64_t>(sizeof(float));
}

std::int64_t divide_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit; }

// Whole lines; of a number that no power of two divides, so that what is that far apart falls into
// different sets of a cache.
std::int64_t spread(std::int64_t floats, std::int64_t power) {
  const std::int64_t lines = divide_up(floats, kLine);
  return (lines % power == 0 ? lines + 1 : lines) * kLine;
}

}  // namespace

WinogradPlan::WinogradPlan(const sdk::ConvShape& convolution, std::int64_t outputs,
                           std::uint32_t threads, Isa instructions)
    : isa(instructions),
      shape(convolution),
      filter{shape.group_filters, shape.group_channels, outputs, panel_width(isa)},
      tile_rows(divide_up(shape.window.height.output, outputs)),
      tile_columns(divide_up(shape.window.width.output, outputs)),
      input_row(spread(shape.group_channels, 8)),
      product_row(spread(filter.tile_elements() * filter.width, 8)) {
  const double multiplications = static_cast<double>(tiles()) *
                                 static_cast<double>(filter.tile_elements()) *
                                 static_cast<double>(filter.channels * filter.filters);
  const std::int64_t wanted = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::min(multiplications / kWorthwhile, 1e6)), 1, threads);
  const std::int64_t most =
      std::max(kLeastTiles, kBlockFloats / (filter.tile_elements() * input_row));
  shares_inputs = wanted > 1 && tiles() < wanted * kFewTiles;
  blocks = divide_up(tiles(), std::min(most, tiles()));
  if (!shares_inputs) blocks = divide_up(blocks, wanted) * wanted;
  block = divide_up(tiles(), blocks);
  blocks = divide_up(tiles(), block);
  slots = std::min(wanted, shares_inputs ? blocks * filter.panels() : blocks);
  element_size = spread(block * input_row, 2);
}

std::int64_t WinogradPlan::tiles_of(std::int64_t block_index) const {
  return std::min(block, tiles() - block_index * block);
}

}  // namespace loci::kernels
