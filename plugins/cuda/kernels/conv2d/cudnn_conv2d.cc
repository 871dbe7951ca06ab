// conv2d, fused_conv2d and both gradients of conv2d by cuDNN, where that is found.
#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "device.h"
#include "kernels/conv2d/conv2d_op.h"
#include "kernels/conv2d/conv2d_shape.h"
#include "kernels/conv2d/cudnn_convolution.h"
#include "kernels/conv2d/left_conv_epilogue.h"
#include "kernels/conv2d/own_conv2d.h"
#include "kernels/kernel_list.h"
#include "kernels/library/library_workspace.h"
#include "kernels/move/device_copy.h"

namespace loci::cuda {
namespace {

constexpr std::uint64_t kLibraryTypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F16) |
                                        LOCI_DTYPE_BIT(LOCI_DTYPE_BF16) |
                                        LOCI_DTYPE_BIT(LOCI_DTYPE_F32);

// The library's algorithms make use of this alignment, in bytes, at most.
constexpr std::uintptr_t kOperandAlignment = 16;

bool is_aligned(const CudnnOperands& operands) {
  const auto address = [](const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
  };
  return (address(operands.x) | address(operands.other) | address(operands.bias) |
          address(operands.residual) | address(operands.out)) %
             kOperandAlignment ==
         0;
}

class LibraryConvolution {
 public:
  LibraryConvolution(Device& device, ConvPass pass,
                     std::unique_ptr<const CudnnConvolution> convolution,
                     std::optional<LeftConvEpilogue> left, sdk::PreparedPart own)
      : device_(device),
        pass_(pass),
        convolution_(std::move(convolution)),
        left_(std::move(left)),
        own_(std::move(own)) {}

  void launch(const sdk::Launch& launch) const {
    const CudnnOperands operands = operands_of(launch);
    if (is_refused_.load(std::memory_order_relaxed) || !is_aligned(operands) ||
        !enqueue(launch, operands)) {
      return own_.launch(launch);
    }
    if (left_) left_->launch(launch, launch.output<void>(0));
  }

 private:
  [[nodiscard]] CudnnOperands operands_of(const sdk::Launch& launch) const {
    CudnnOperands operands{};
    operands.x = launch.input<void>(pass_ == ConvPass::kImageGrad ? 1 : 0);
    operands.other = launch.input<void>(pass_ == ConvPass::kImageGrad ? 0 : 1);
    operands.out = launch.output<void>(0);
    operands.workspace = aligned_workspace(launch);
    const CudnnEpilogue& epilogue = convolution_->epilogue();
    if (epilogue.bias) operands.bias = launch.input<void>(ConvEpilogueOp::kBias);
    if (epilogue.residual) operands.residual = launch.input<void>(ConvEpilogueOp::kResidual);
    return operands;
  }

  // Returns true if the library took it. A refusal turns out here where its heuristics said that it
  // would; it would refuse again.
  bool enqueue(const sdk::Launch& launch, const CudnnOperands& operands) const {
    Stream* stream = sdk::stream_of<Device>(launch.stream());
    Device::require(stream);
    fill_on_device(device_, launch, operands.workspace, 0, convolution_->zeros());
    const CurrentContext current(device_);
    device_.faults().enter_launch();
    // The library may load a kernel or the like meanwhile, which shall not end a capture.
    std::optional<RelaxedCapture> relaxed;
    if ((launch.raw().flags & LOCI_LAUNCH_CAPTURING) != 0) relaxed.emplace(device_.driver());
    const cudnn::Status refusal = convolution_->enqueue(operands, stream->handle());
    if (refusal == 0) return true;
    if (!is_refused_.exchange(true)) device_.cudnn().tell_refused(refusal);
    return false;
  }

  Device& device_;
  const ConvPass pass_;
  const std::unique_ptr<const CudnnConvolution> convolution_;
  const std::optional<LeftConvEpilogue> left_;
  // Our own kernels, where the library takes no operands that begin anywhere, or refuses.
  const sdk::PreparedPart own_;
  mutable std::atomic<bool> is_refused_{false};
};

// Returns true if these are the library's windows, with as much padding behind as before.
bool is_padded_alike(const sdk::WindowAxis& axis) {
  const std::int64_t room = axis.input + 2 * axis.before - axis.span();
  return room >= 0 && room / axis.stride + 1 == axis.output;
}

bool is_depthwise(const sdk::ConvShape& shape) {
  constexpr std::int64_t kFewFilters = 4;
  return shape.groups > 1 && shape.group_channels == 1 && shape.group_filters <= kFewFilters;
}

std::string refuse_convolution(const sdk::ConvShape& shape) {
  const std::int64_t images = shape.batch * shape.groups * shape.group_channels;
  const std::int64_t results = shape.batch * shape.groups * shape.group_filters;
  const std::int64_t weights = shape.groups * shape.group_filters * shape.window_size();
  if (images * shape.image_size() == 0 || results * shape.windows() == 0) {
    return "there is nothing to convolve";
  }
  if (!is_padded_alike(shape.window.height) || !is_padded_alike(shape.window.width)) {
    return "cuDNN pads images by as much behind as before";
  }
  const auto is_counted = [](std::int64_t outer, std::int64_t inner) {
    return outer <= std::numeric_limits<std::int32_t>::max() / inner;
  };
  if (!is_counted(images, shape.image_size()) || !is_counted(results, shape.windows()) ||
      !is_counted(weights, 1)) {
    return "cuDNN counts no more than 2^31 elements";
  }
  if (is_depthwise(shape)) {
    return "groups of one channel are left to the plugin's own kernels, which read each element "
           "once";
  }
  return {};
}

class CudnnKernel : public sdk::Kernel {
 protected:
  CudnnKernel(const sdk::OpDesc& op, ConvPass pass, std::unique_ptr<sdk::Kernel> own)
      : options_(sdk::read_conv_options(op.attributes())), pass_(pass), own_(std::move(own)) {}

  // x: the image's extents, w: the filter's.
  [[nodiscard]] sdk::ConvShape shape_of(sdk::Dims x, sdk::Dims w) const {
    const sdk::ConvShape shape = sdk::conv_shape(x, w, options_);
    require_counted(shape);
    const std::string reason = refuse_convolution(shape);
    if (!reason.empty()) throw sdk::Error(LOCI_CODE_UNSUPPORTED, reason);
    return shape;
  }

  void emplace(sdk::Prepare& prepare, const sdk::ConvShape& shape, const CudnnEpilogue& epilogue,
               std::optional<LeftConvEpilogue> left) const {
    auto& device = sdk::device_of<Device>(prepare.device());
    device.cudnn().require();
    auto convolution = convolution_for(prepare, device, shape, epilogue);
    sdk::PreparedPart own = prepare.part(*own_);
    prepare.set_workspace(
        std::max(prepare.workspace(), library_workspace(convolution->workspace())));
    prepare.emplace<LibraryConvolution>(device, pass_, std::move(convolution), std::move(left),
                                        std::move(own));
  }

 private:
  [[nodiscard]] std::unique_ptr<const CudnnConvolution> convolution_for(
      const sdk::Prepare& prepare, Device& device, const sdk::ConvShape& shape,
      const CudnnEpilogue& epilogue) const {
    const CurrentContext current(device);
    const RelaxedCapture relaxed(device.driver());
    return std::make_unique<const CudnnConvolution>(device, pass_, prepare.op().output(0).dtype(),
                                                    shape, epilogue);
  }

  sdk::ConvOptions options_;
  ConvPass pass_;
  std::unique_ptr<sdk::Kernel> own_;
};

class CudnnForward final : public CudnnKernel {
 public:
  explicit CudnnForward(const sdk::OpDesc& op)
      : CudnnKernel(op, ConvPass::kForward, make_own_conv2d(op)), op_(op) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const sdk::ConvShape shape = shape_of(op.input(0).dims(), op.input(1).dims());
    const bool does_all = does_epilogue();
    if (!does_all && op.output(0).dtype() != LOCI_DTYPE_F32) {
      throw sdk::Error(LOCI_CODE_UNSUPPORTED,
                       "cuDNN ends no convolution so, and halves would be rounded twice");
    }
    CudnnEpilogue epilogue;
    if (does_all && has_epilogue()) {
      epilogue = {true, op_.has_bias(), op_.has_residual(), op_.activation() == Activation::kRelu};
    }
    std::optional<LeftConvEpilogue> left;
    if (!does_all) left.emplace(prepare, op_, shape, LeftConvEpilogue::Done{});
    emplace(prepare, shape, epilogue, std::move(left));
  }

 private:
  [[nodiscard]] bool does_epilogue() const {
    const bool activates =
        op_.activation() == Activation::kNone || op_.activation() == Activation::kRelu;
    return !op_.has_norm() && activates;
  }
  [[nodiscard]] bool has_epilogue() const {
    return op_.has_bias() || op_.has_residual() || op_.activation() != Activation::kNone;
  }
  ConvEpilogueOp op_;
};

class CudnnImageGrad final : public CudnnKernel {
 public:
  explicit CudnnImageGrad(const sdk::OpDesc& op)
      : CudnnKernel(op, ConvPass::kImageGrad, make_own_conv2d_grad_input(op)) {}
  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    emplace(prepare, shape_of(op.input(2).dims(), op.input(0).dims()), {}, std::nullopt);
  }
};

class CudnnFilterGrad final : public CudnnKernel {
 public:
  explicit CudnnFilterGrad(const sdk::OpDesc& op)
      : CudnnKernel(op, ConvPass::kFilterGrad, make_own_conv2d_grad_filter(op)) {}
  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    emplace(prepare, shape_of(op.input(0).dims(), op.input(2).dims()), {}, std::nullopt);
  }
};

}  // namespace

void add_cudnn_conv2d(Kernels& kernels) {
  const auto add = [&](std::string_view op, sdk::CreateFn create) {
    kernels.push_back({op, "cudnn", kLibraryTypes, create, nullptr, {}, LOCI_KERNEL_CAPTURABLE});
  };
  add("conv2d", sdk::make_kernel<CudnnForward>);
  add("fused_conv2d", sdk::make_kernel<CudnnForward>);
  add("conv2d_grad_input", sdk::make_kernel<CudnnImageGrad>);
  add("conv2d_grad_filter", sdk::make_kernel<CudnnFilterGrad>);
}

}  // namespace loci::cuda
