#include "plugins/cpu/packed_filter.h"

#include <string>

#include "plugins/cpu/layout_table.h"

namespace loci::cpu {
namespace {

std::uint64_t bytes_of(const kernels::WinogradFilter& filter) {
  return static_cast<std::uint64_t>(filter.elements()) * sizeof(float);
}

std::uint32_t intern(const sdk::Host& host, const kernels::WinogradFilter& filter) {
  const std::string tile = std::to_string(filter.outputs);
  const std::string text = "winograd f32 [" + std::to_string(filter.filters) + ", " +
                           std::to_string(filter.channels) + ", 3, 3] for tiles of " + tile +
                           " by " + tile + " in panels of " + std::to_string(filter.width) +
                           (filter.use == kernels::FilterUse::kForward ? "" : ", turned round");
  return LayoutTable<kernels::WinogradFilter>::instance().intern(host, text, bytes_of(filter),
                                                                 filter);
}

}  // namespace

PackedFilter::PackedFilter(sdk::Prepare& prepare, const kernels::WinogradFilter& layout,
                           std::uint32_t slot)
    : layout_(layout), slot_(slot), packs_(!is_packed_by_host(prepare.op(), slot)) {
  if (!packs_) {
    prepare.choose_input_layout(slot, intern(prepare.host(), layout));
    return;
  }
  offset_ = prepare.workspace();
  prepare.set_workspace(offset_ + bytes_of(layout));
}

const float* PackedFilter::in(const sdk::Host& host, const sdk::Launch& launch) const {
  const auto* filter = launch.input<float>(slot_);
  if (!packs_) return filter;
  auto* packed = launch.workspace<float>(offset_);
  kernels::pack(host, layout_, filter, packed);
  return packed;
}

bool relayout_winograd(const sdk::RelayoutCall& call) {
  const auto filter = LayoutTable<kernels::WinogradFilter>::instance().find(call.target.layout);
  if (!filter) return false;
  kernels::pack(*filter, static_cast<const float*>(call.source.data),
                static_cast<float*>(call.target.data));
  return true;
}

}  // namespace loci::cpu
