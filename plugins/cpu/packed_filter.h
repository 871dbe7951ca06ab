// The filter of a convolution as Winograd's method multiplies by it.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/winograd_filter.h"

namespace loci::cpu {

// Packed by the host once if it is constant, else in each run. Plain data, immutable.
class PackedFilter {
 public:
  // Takes the input in a slot: asks the host for it, or for workspace behind what there is.
  PackedFilter(sdk::Prepare& prepare, const kernels::WinogradFilter& layout, std::uint32_t slot);

  static bool is_packed_by_host(const sdk::OpDesc& op, std::uint32_t slot) {
    return op.input(slot).takes_any_layout();
  }

  [[nodiscard]] const float* in(const sdk::Host& host, const sdk::Launch& launch) const;

 private:
  kernels::WinogradFilter layout_;
  std::uint32_t slot_;
  bool packs_;
  std::uint64_t offset_ = 0;  // bytes from the workspace's begin
};

// Packs a constant for the host. False: the target's layout is none of these.
bool relayout_winograd(const sdk::RelayoutCall& call);

}  // namespace loci::cpu
