#include "plugins/cpu/nhwc_convolution.h"

#include "plugins/cpu/image_layouts.h"

namespace loci::cpu {
namespace {

constexpr std::uint32_t kFilterSlot = 1;

void require_nhwc(const sdk::OpDesc& op, bool is_fused) {
  const bool has_residual = is_fused && op.has_input(ConvEpilogue::kResidualSlot);
  const bool reads = lies_in_nhwc(op.input(0)) &&
                     (!has_residual || lies_in_nhwc(op.input(ConvEpilogue::kResidualSlot)));
  if (reads && (may_write_nhwc(op) || is_alike_in_both(op.output(0)))) return;
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "not all of its images have channels last");
}

}  // namespace

std::string nhwc_convolution_refusal(const sdk::OpDesc& op, sdk::ConvShape* shape) {
  if (!op.input(kFilterSlot).takes_any_layout()) return "its filter is no constant";
  if (!op.input(0).has_dims() || !op.input(kFilterSlot).has_dims() || !op.output(0).has_dims()) {
    return "its extents are not known";
  }
  if (op.input(0).numel() == 0 || op.output(0).numel() == 0) return "there is nothing to convolve";
  *shape = sdk::conv_shape(op.input(0).dims(), op.input(kFilterSlot).dims(),
                           sdk::read_conv_options(op.attributes()));
  return {};
}

NhwcConvolution::NhwcConvolution(sdk::Prepare& prepare, const sdk::ConvShape& shape,
                                 const PackedLayout& filter) {
  const sdk::OpDesc& op = prepare.op();
  const bool is_fused = op.name() == "fused_conv2d";
  require_nhwc(op, is_fused);
  if (may_write_nhwc(op)) choose_nhwc(prepare);
  prepare.choose_input_layout(kFilterSlot, intern(prepare.host(), filter));
  if (!is_fused) return;
  fused_.emplace(op, shape);
  scratch_ = prepare.workspace();
  prepare.set_workspace(scratch_ + static_cast<std::uint64_t>(fused_->scratch()) * sizeof(float));
}

sdk::KernelDef nhwc_convolution(std::string_view op, sdk::CreateFn create,
                                std::string (*refusal)(const sdk::OpDesc&)) {
  return {.op = op,
          .name = "packed",
          .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32),
          .create = create,
          .supports = refusal,
          .flags = LOCI_KERNEL_OWN_LAYOUTS};
}

}  // namespace loci::cpu
