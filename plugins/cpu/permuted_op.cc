#include "plugins/cpu/permuted_op.h"

#include <algorithm>
#include <utility>

#include "plugins/cpu/image_layouts.h"

namespace loci::cpu {
namespace {

using kernels::ImageLayout;

std::array<std::int64_t, 4> four_extents(sdk::Dims dims) {
  std::array<std::int64_t, 4> extents{1, 1, 1, 1};
  std::copy_n(dims.begin(), dims.size(), extents.end() - static_cast<std::ptrdiff_t>(dims.size()));
  return extents;
}

bool are_equal(sdk::Dims a, sdk::Dims b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

struct PreparedNhwc {
  void launch(const sdk::Launch& launch) const { part.launch(launch); }
  sdk::PreparedPart part;
};

}  // namespace

PermutedOp::PermutedOp(const sdk::OpDesc& op, sdk::Dims images, Others others)
    : others_(others), images_(images), desc_(op.raw()) {
  inputs_ =
      permuted(desc_.inputs, desc_.input_slots[desc_.input_slot_count], [](const sdk::Arg& input) {
        return image_layout(input) == ImageLayout::kNhwc;  // a constant is not
      });
  outputs_ = permuted(desc_.outputs, desc_.output_slots[desc_.output_slot_count],
                      [this](const sdk::Arg& output) { return may_choose(output); });
  desc_.inputs = inputs_.data();
  desc_.outputs = outputs_.data();
}

template <class AreLast>
std::vector<loci_arg> PermutedOp::permuted(const loci_arg* args, std::uint32_t count,
                                           const AreLast& channels_are_last) {
  std::vector<loci_arg> list(args, args + count);
  for (loci_arg& arg : list) {
    if (arg.dtype == LOCI_DTYPE_NONE) continue;
    const sdk::Arg given(arg);
    const bool is_last = channels_are_last(given);
    arg.layout = LOCI_LAYOUT_PLAIN;
    if (others_ == Others::kChannels && given.rank() == 1) continue;
    require_alike(given.dims(), is_last);
    const auto extents = four_extents(given.dims());
    dims_.push_back({extents[0], extents[2], extents[3], extents[1]});
    arg.dims = dims_.back().data();
    arg.rank = 4;
  }
  return list;
}

bool PermutedOp::may_choose(const sdk::Arg& output) const {
  return output.takes_any_layout() && are_equal(output.dims(), images_);
}

// That its elements lie so: it comes in that layout, or in both at once.
void PermutedOp::require_alike(sdk::Dims dims, bool channels_are_last) const {
  const auto is_alike = [&] {
    if (dims.size() > 4) return false;
    if (channels_are_last) {
      return are_equal(dims, images_);
    }
    const auto extents = four_extents(dims);
    return extents[1] == 1 || extents[2] * extents[3] == 1;
  };
  if (!is_alike()) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "not all of its images have channels last");
  }
}

void PermutedOp::prepare_by(const sdk::Kernel& kernel, sdk::Prepare& prepare) const {
  std::vector<std::uint32_t> layouts(inputs_.size() + outputs_.size());
  loci_prepared_info info{};
  info.struct_size = sizeof info;
  info.input_layouts = layouts.data();
  info.output_layouts = layouts.data() + inputs_.size();
  sdk::Prepare around(prepare.host(), prepare.device(), desc_, info);
  sdk::PreparedPart part = around.part(kernel);
  prepare.set_workspace(info.workspace_bytes);
  prepare.set_state(info.state_bytes);
  prepare.set_memory(info.memory_bytes);
  prepare.emplace<PreparedNhwc>(std::move(part));
  const loci_arg* const given = prepare.op().raw().outputs;
  for (std::uint32_t i = 0; i < outputs_.size(); ++i) {
    if (given[i].dtype != LOCI_DTYPE_NONE && may_choose(sdk::Arg(given[i])))
      choose_nhwc(prepare, i);
  }
}

bool reads_nhwc(const sdk::OpDesc& op) {
  const loci_op_desc& raw = op.raw();
  return std::any_of(
      raw.inputs, raw.inputs + raw.input_slots[raw.input_slot_count],
      [](const loci_arg& input) { return image_layout(sdk::Arg(input)) == ImageLayout::kNhwc; });
}

}  // namespace loci::cpu
