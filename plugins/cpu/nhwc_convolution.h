// The parts that kernels of conv2d and fused_conv2d share which read and write images with channels
// last, and have a constant filter that is packed.
#pragma once

#include <cstdint>
#include <loci/plugin/conv2d.hpp>
#include <loci/plugin/kernel.hpp>
#include <optional>
#include <string>

#include "plugins/cpu/fused_epilogue.h"
#include "plugins/cpu/packed_layout.h"

namespace loci::cpu {

// Why none of them takes the op; empty: one may, if it likes the windows. Those are in `shape`
// then.
std::string nhwc_convolution_refusal(const sdk::OpDesc& op, sdk::ConvShape* shape);

// The parts of one launch: the filter as it was packed, and what comes after the convolution.
class NhwcConvolution {
 public:
  // Chooses the layouts of the filter and of the result, and asks for workspace behind what there
  // is. Throws sdk::Error(LOCI_CODE_UNSUPPORTED) where images do not lie, or may not be written,
  // so.
  NhwcConvolution(sdk::Prepare& prepare, const sdk::ConvShape& shape, const PackedLayout& filter);

  [[nodiscard]] kernels::PlaneEpilogue epilogue(const sdk::Launch& launch) const {
    if (fused_) return fused_->in(launch, launch.workspace<float>(scratch_));
    kernels::PlaneEpilogue bias;
    bias.offset = launch.input<float>(2);
    return bias;
  }

 private:
  std::optional<ConvEpilogue> fused_;  // none: of conv2d
  std::uint64_t scratch_ = 0;          // bytes from the workspace's begin
};

// A kernel of conv2d or fused_conv2d.
sdk::KernelDef nhwc_convolution(std::string_view op, sdk::CreateFn create,
                                std::string (*refusal)(const sdk::OpDesc&));

}  // namespace loci::cpu
