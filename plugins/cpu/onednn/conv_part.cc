#include "plugins/cpu/onednn/conv_part.h"

#include <algorithm>
#include <utility>

namespace loci::cpu::onednn {
namespace {

using dnnl::memory;
using sdk::ConvShape;

// The channels of a block of oneDNN: sixteen with AVX-512, eight with AVX2, whose blocks of sixteen
// are two.
constexpr std::int64_t kChannelBlock = 16;
// Rows of a result that a part has at least: the rows of the image that two parts read are few
// then.
constexpr std::int64_t kLeastRows = 4;

Windows windows_of(const sdk::Window2d& window) {
  const auto& [height, width] = window;
  return {{height.kernel, width.kernel},
          {height.stride, width.stride},
          {height.dilation - 1, width.dilation - 1},
          {height.before, width.before},
          {height.after, width.after}};
}

double size_of_images(const ConvShape& shape) {
  return static_cast<double>(shape.batch * shape.groups * shape.group_channels) *
         static_cast<double>(shape.image_size());
}
double size_of_filters(const ConvShape& shape) {
  return static_cast<double>(shape.groups * shape.group_filters) *
         static_cast<double>(shape.window_size());
}

class ConvCutter {
 public:
  ConvCutter(const ConvShape& shape, std::uint32_t threads, bool gathers_windows)
      : shape_(shape), threads_(threads), parts_(parts_of(shape.multiplications(), threads)) {
    // Each part does that anew, which takes a tenth of the time of the whole.
    if (gathers_windows) parts_ = std::min<std::int64_t>(parts_, threads);
  }

  // No ranges where it is no good cut.
  [[nodiscard]] Cut along(CutAxis axis, std::int64_t extent, std::int64_t granule,
                          std::int64_t least = 1) const {
    return {axis, cut_well(extent, granule, parts_, threads_, least)};
  }
  [[nodiscard]] Cut images() const { return along(CutAxis::kBatch, shape_.batch, 1); }
  [[nodiscard]] Cut filters() const {
    return of_one_group(CutAxis::kColumns, shape_.group_filters);
  }
  [[nodiscard]] Cut channels() const {
    return of_one_group(CutAxis::kChannels, shape_.group_channels);
  }
  [[nodiscard]] Cut groups() const {
    if (shape_.groups == 1) return {CutAxis::kGroups, {}};
    const bool is_depthwise = shape_.group_channels == 1 && shape_.group_filters == 1;
    return along(CutAxis::kGroups, shape_.groups, is_depthwise ? kChannelBlock : 1);
  }
  [[nodiscard]] Cut rows() const {
    const sdk::WindowAxis& height = shape_.window.height;
    const std::int64_t least = height.kernel == 1 ? 1 : kLeastRows;
    Cut cut = along(CutAxis::kRows, height.output, 1, least);
    if (!all_see_the_image(height, cut.ranges)) cut.ranges.clear();
    return cut;
  }

 private:
  [[nodiscard]] Cut of_one_group(CutAxis axis, std::int64_t extent) const {
    return shape_.groups == 1 ? along(axis, extent, kChannelBlock) : Cut{axis, {}};
  }

  const ConvShape& shape_;
  std::uint32_t threads_;
  std::int64_t parts_;
};

}  // namespace

void narrow_rows(const sdk::WindowAxis& axis, Range rows, SubArray* x, SubArray* out,
                 Windows* windows) {
  const std::int64_t begin = axis.begin(rows.begin);
  const std::int64_t end = axis.begin(rows.end() - 1) + (axis.kernel - 1) * axis.dilation + 1;
  const std::int64_t first = std::clamp<std::int64_t>(begin, 0, axis.input);
  const std::int64_t last = std::clamp<std::int64_t>(end, first, axis.input);
  x->narrow(2, {first, last - first});
  out->narrow(2, rows);
  windows->before[0] = first - begin;
  windows->after[0] = end - last;
}

bool all_see_the_image(const sdk::WindowAxis& axis, const std::vector<Range>& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](const Range& range) {
    const std::int64_t end = axis.begin(range.end() - 1) + (axis.kernel - 1) * axis.dilation + 1;
    return axis.begin(range.begin) < axis.input && end > 0;
  });
}

ConvPart conv_part(const ConvShape& shape, CutAxis axis, Range range, const ConvLayouts& layouts) {
  const auto& [height, width] = shape.window;
  const std::int64_t channels = shape.groups * shape.group_channels;
  const std::int64_t filters = shape.groups * shape.group_filters;
  memory::dims filter{filters, shape.group_channels, height.kernel, width.kernel};
  if (shape.groups != 1) {
    filter = {shape.groups, shape.group_filters, filter[1], filter[2], filter[3]};
  }
  ConvPart part{SubArray::images({shape.batch, channels, height.input, width.input}, layouts.x),
                SubArray::dense(filter),
                SubArray::images({shape.batch, filters, height.output, width.output}, layouts.out),
                SubArray::dense({filters}), windows_of(shape.window)};
  const auto times = [&](std::int64_t factor) {
    return Range{range.begin * factor, range.count * factor};
  };
  switch (axis) {
    case CutAxis::kWhole: break;
    case CutAxis::kBatch:
      part.x.narrow(0, range);
      part.out.narrow(0, range);
      break;
    case CutAxis::kRows: narrow_rows(height, range, &part.x, &part.out, &part.windows); break;
    case CutAxis::kColumns:
      part.filter.narrow(0, range);
      part.out.narrow(1, range);
      part.bias.narrow(0, range);
      break;
    case CutAxis::kChannels:
      part.filter.narrow(1, range);
      part.x.narrow(1, range);
      break;
    case CutAxis::kGroups:
      part.filter.narrow(0, range);
      part.x.narrow(1, times(shape.group_channels));
      part.out.narrow(1, times(shape.group_filters));
      part.bias.narrow(0, times(shape.group_filters));
      break;
  }
  part.x.normalize(layouts.x);
  part.out.normalize(layouts.out);
  return part;
}

kernels::PlaneRegion result_region(const ConvShape& shape, CutAxis axis, Range range) {
  const std::int64_t width = shape.window.width.output;
  const std::int64_t group = shape.group_filters;
  kernels::PlaneRegion region{0, shape.batch, 0, shape.groups * group, 0, shape.windows()};
  switch (axis) {
    case CutAxis::kBatch:
      region.image = range.begin;
      region.images = range.count;
      break;
    case CutAxis::kRows:
      region.pixel = range.begin * width;
      region.pixels = range.count * width;
      break;
    case CutAxis::kColumns:
      region.channel = range.begin;
      region.channels = range.count;
      break;
    case CutAxis::kGroups:
      region.channel = range.begin * group;
      region.channels = range.count * group;
      break;
    case CutAxis::kWhole:
    case CutAxis::kChannels: break;  // of which each part adds to all of it
  }
  return region;
}

Cut cut_convolution(const ConvShape& shape, ConvDirection direction, std::uint32_t threads,
                    kernels::ImageLayout layout, bool gathers_windows) {
  const ConvCutter cutter(shape, threads, gathers_windows);
  std::vector<Cut> choices;
  switch (direction) {
    case ConvDirection::kForward:
      // Each part reads all filters, or the whole image: whichever is less.
      choices = {cutter.images(), cutter.groups(), cutter.rows(), cutter.filters()};
      if (size_of_filters(shape) > size_of_images(shape)) std::swap(choices[2], choices[3]);
      // Channels of some pixels lie apart then, and rows do not.
      if (layout == kernels::ImageLayout::kNhwc) {
        choices = {cutter.images(), cutter.rows(), cutter.groups(), cutter.filters()};
      }
      break;
    case ConvDirection::kInputGrad:
      choices = {cutter.images(), cutter.groups(), cutter.channels()};
      break;
    case ConvDirection::kFilterGrad:
      // Each part reads all images of the one kind, which is better the one with fewer channels.
      choices = {cutter.groups(), cutter.filters(), cutter.channels()};
      if (shape.group_channels > shape.group_filters) std::swap(choices[1], choices[2]);
      break;
  }
  for (Cut& cut : choices) {
    if (cut.ranges.size() > 1) return std::move(cut);
  }
  return {};
}

}  // namespace loci::cpu::onednn
