#include "plugins/cpu/image_layouts.h"

#include <loci/plugin/dtype_visit.hpp>

#include "plugins/cpu/layout_table.h"

namespace loci::cpu {
namespace {

using kernels::ImageLayout;

struct ChannelsLast {};
using Table = LayoutTable<ChannelsLast>;

}  // namespace

ImageLayout image_layout(sdk::Arg images) {
  const std::uint32_t layout = images.layout();
  if (layout == LOCI_LAYOUT_PLAIN || layout == LOCI_LAYOUT_ANY) return ImageLayout::kNchw;
  if (Table::instance().find(layout)) return ImageLayout::kNhwc;
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "an argument comes in a layout that images do not have");
}

bool is_alike_in_both(sdk::Arg images) {
  return images.dim(1) <= 1 || images.dim(2) * images.dim(3) <= 1;
}

bool lies_in_nhwc(sdk::Arg images) {
  return image_layout(images) == ImageLayout::kNhwc || is_alike_in_both(images);
}

void require_planes(sdk::Arg filter) {
  if (image_layout(filter) == ImageLayout::kNchw) return;
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "its filter is one that was computed as an image");
}

bool may_write_nhwc(const sdk::OpDesc& op) {
  const sdk::Arg out = op.output(0);
  return out.takes_any_layout() && !is_alike_in_both(out);
}

bool may_write_nhwc(const sdk::OpDesc& op, sdk::Arg residual) {
  return may_write_nhwc(op) && image_layout(residual) == ImageLayout::kNhwc;
}

void choose_nhwc(sdk::Prepare& prepare, std::uint32_t index) {
  const sdk::Arg out(prepare.op().raw().outputs[index]);
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(out.numel()) * sdk::dtype_bytes(out.dtype());
  prepare.choose_output_layout(
      index, Table::instance().intern(prepare.host(), "channels last", bytes, {}));
}

}  // namespace loci::cpu
