// The unit is one multiplication and addition at the full rate of the vector units. Numbers were
// fitted to medians of this convolution and oneDNN 2.6's direct one, plain images on both sides, on
// one thread of a Zen 4 core (56 * 10^9 units a second), with AVX-512 and held to AVX2: 129 shapes
// each, 8 to 512 channels, images of 2 to 112 pixels a side, batches of 1, 8 and 32. What is chosen
// took 2 (AVX-512) and 4 (AVX2) percent longer than the best on average, mostly for 16 channels, a
// few filters or images of 2 pixels a side; the method was never chosen where it was slower.
#include "plugins/kernels/winograd_cost.h"

#include <algorithm>

#include "plugins/kernels/packed_product.h"

namespace loci::kernels {
namespace {

std::int64_t divide_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit; }
double round_up(std::int64_t value, std::int64_t unit) {
  return static_cast<double>(divide_up(value, unit) * unit);
}

// The cost of the transforms of one tile for each channel and each filter: by the width of vectors.
struct TransformCost {
  double input;
  double output;
};

TransformCost transform_cost(std::int64_t outputs, bool is_wide) {
  if (outputs == 4) return is_wide ? TransformCost{500, 400} : TransformCost{720, 850};
  return is_wide ? TransformCost{170, 150} : TransformCost{300, 330};
}

// The cost of reading packed filters: from a cache, or memory for what is beyond kCacheBytes.
double read_cost(double bytes) {
  constexpr double kCached = 0.8;
  constexpr double kBeyond = 2.5;
  constexpr double kCacheBytes = 16e6;
  return kCached * bytes + kBeyond * std::max(bytes - kCacheBytes, 0.0);
}

double winograd_cost(const sdk::ConvShape& shape, std::int64_t outputs) {
  // Loads, stores and the ends of strips.
  constexpr double kProducts = 1.1;
  const std::int64_t width = panel_width();
  const bool is_wide = width >= 32;
  // Strips of fewer tiles take as long.
  const double least_tiles = is_wide ? 3 : 4;
  const auto elements = static_cast<double>((outputs + 2) * (outputs + 2));
  const double tiles = static_cast<double>(shape.batch) *
                       static_cast<double>(divide_up(shape.window.height.output, outputs) *
                                           divide_up(shape.window.width.output, outputs));
  const double filters = round_up(shape.group_filters, width);
  const double weights = elements * static_cast<double>(shape.group_channels) * filters;
  const double products = std::max(tiles, least_tiles) * weights * kProducts;
  const TransformCost transforms = transform_cost(outputs, is_wide);
  return std::max(products, read_cost(weights * sizeof(float))) +
         tiles * (round_up(shape.group_channels, width / 2) * transforms.input +
                  filters * transforms.output);
}

// Measured by itself: 5 to 8 and 9 to 15 ns for a filter's channel (Zen 5, AVX-512), about twice
// that with half the lanes.
double packing_cost(const sdk::ConvShape& shape, std::int64_t outputs) {
  const double wide = outputs == 4 ? 700 : 350;
  return static_cast<double>(shape.group_channels * shape.group_filters) *
         (panel_width() >= 32 ? wide : 2 * wide);
}

// The share of an image's windows' rows that is no padding of one row on each side.
double inside(const sdk::WindowAxis& axis) {
  const auto rows = static_cast<double>(axis.output);
  const auto padded = static_cast<double>(std::min<std::int64_t>(axis.before, 1) +
                                          std::min<std::int64_t>(axis.after, 1));
  return (3 * rows - padded) / (3 * rows);
}

double direct_cost(const sdk::ConvShape& shape) {
  constexpr double kProducts = 1.02;
  // The cost of bringing one number of the image or the result into another layout.
  constexpr double kReorder = 15;
  const std::int64_t lanes = panel_width() / 2;
  const double windows = static_cast<double>(shape.batch) * static_cast<double>(shape.windows());
  const double skipped = std::min(inside(shape.window.height), inside(shape.window.width));
  return windows * (9 * round_up(shape.group_channels, lanes) *
                        round_up(shape.group_filters, lanes) * skipped * kProducts +
                    static_cast<double>(shape.group_channels + shape.group_filters) * kReorder);
}

}  // namespace

std::int64_t winograd_outputs(const sdk::ConvShape& shape, bool packs) {
  // Estimates are off by that much.
  constexpr double kMargin = 1.1;
  if (shape.group_channels < kLeastWinogradChannels) return 0;
  const double two = winograd_cost(shape, 2) + (packs ? packing_cost(shape, 2) : 0);
  const double four = winograd_cost(shape, 4) + (packs ? packing_cost(shape, 4) : 0);
  if (std::min(two, four) * kMargin > direct_cost(shape)) return 0;
  return four <= two ? 4 : 2;
}

}  // namespace loci::kernels
