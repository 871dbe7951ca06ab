// conv2d, fused_conv2d and the gradient of the image, by conv2d.cu, conv2d_mma.cu and
// conv2d_patch.cu.
#include "device.h"
#include "kernels/conv2d/conv2d_op.h"
#include "kernels/conv2d/conv2d_shape.h"
#include "kernels/conv2d/own_conv2d.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/kernel_function.h"

extern "C" const unsigned long long loci_cuda_conv2d_mma[];
extern "C" const unsigned long long loci_cuda_conv2d_patch[];

namespace loci::cuda {
namespace {

constexpr KernelImage kConvMmaImage{"conv2d_mma", loci_cuda_conv2d_mma};
constexpr KernelImage kConvPatchImage{"conv2d_patch", loci_cuda_conv2d_patch};

KernelFunction tiled(const sdk::Prepare& prepare, std::string_view suffix) {
  const bool takes_cores = takes_tensor_cores(prepare);
  const std::string stem = std::string(takes_cores ? "conv2d_mma" : "conv2d").append(suffix);
  return {prepare, takes_cores ? kConvMmaImage : kConvImage,
          typed_name(stem, prepare.op().output(0).dtype())};
}

KernelFunction function_of(const sdk::Prepare& prepare, ConvForm form, std::int64_t rows) {
  const loci_dtype dtype = prepare.op().output(0).dtype();
  switch (form) {
    case ConvForm::kManyRows: return tiled(prepare, "");
    case ConvForm::kFewRows: return tiled(prepare, "_few");
    case ConvForm::kPatch:
      return {prepare, kConvPatchImage,
              typed_name(rows == 1 ? "conv2d_patch_one" : "conv2d_patch", dtype)};
    case ConvForm::kDirect: break;
  }
  return {prepare, kConvImage, typed_name("conv2d_direct", dtype)};
}

// The elements that are gathered, and the function that gathers them.
class Gathering {
 public:
  Gathering(const sdk::Prepare& prepare, const ConvGather& gather)
      : Gathering(prepare, gather,
                  form_of(gather, sdk::device_of<Device>(prepare.device()).multiprocessors())) {}

  void launch(const sdk::Launch& launch, const void* source, const void* weights,
              const ConvEpilogue& epilogue) const {
    function_.launch(launch, threads_, source, weights, launch.output<void>(0), gather_, epilogue);
  }

 private:
  Gathering(const sdk::Prepare& prepare, const ConvGather& gather, ConvForm form)
      : gather_(gather),
        threads_(take_form(gather_, form)),
        function_(function_of(prepare, form, gather.rows.count)) {}

  ConvGather gather_;
  std::int64_t threads_;
  KernelFunction function_;
};

struct Forward {
  void launch(const sdk::Launch& launch) const {
    gathering.launch(launch, launch.input<void>(0), launch.input<void>(1), epilogue.in(launch));
  }
  Gathering gathering;
  ConvEpilogueOp epilogue;
};

class ForwardKernel final : public sdk::Kernel {
 public:
  explicit ForwardKernel(const sdk::OpDesc& op)
      : options_(sdk::read_conv_options(op.attributes())), epilogue_(op) {}
  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const sdk::ConvShape shape = sdk::conv_shape(op.input(0).dims(), op.input(1).dims(), options_);
    require_counted(shape);
    prepare.emplace<Forward>(Gathering(prepare, gather_of(shape)), epilogue_);
  }

 private:
  sdk::ConvOptions options_;
  ConvEpilogueOp epilogue_;
};

struct ImageGrad {
  void launch(const sdk::Launch& launch) const {
    gathering.launch(launch, launch.input<void>(1), launch.input<void>(0), ConvEpilogue{});
  }
  Gathering gathering;
};

class ImageGradKernel final : public sdk::Kernel {
 public:
  explicit ImageGradKernel(const sdk::OpDesc& op)
      : options_(sdk::read_conv_options(op.attributes())) {}
  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const sdk::ConvShape shape = sdk::conv_shape(op.input(2).dims(), op.input(0).dims(), options_);
    require_counted(shape);
    prepare.emplace<ImageGrad>(Gathering(prepare, image_grad_of(shape)));
  }

 private:
  sdk::ConvOptions options_;
};

}  // namespace

bool takes_tensor_cores(const sdk::Prepare& prepare) {
  switch (prepare.op().output(0).dtype()) {
    case LOCI_DTYPE_F16:
    case LOCI_DTYPE_BF16: return true;
    case LOCI_DTYPE_F32: return sdk::device_of<Device>(prepare.device()).cublaslt().uses_tf32();
    default: return false;
  }
}

std::unique_ptr<sdk::Kernel> make_own_conv2d(const sdk::OpDesc& op) {
  return std::make_unique<ForwardKernel>(op);
}

std::unique_ptr<sdk::Kernel> make_own_conv2d_grad_input(const sdk::OpDesc& op) {
  return std::make_unique<ImageGradKernel>(op);
}

void add_conv2d(Kernels& kernels) {
  kernels.push_back(enqueuing("conv2d", sdk::kFloatBits, make_own_conv2d));
  kernels.push_back(enqueuing("fused_conv2d", sdk::kFloatBits, make_own_conv2d));
  kernels.push_back(enqueuing("conv2d_grad_input", sdk::kFloatBits, make_own_conv2d_grad_input));
}

}  // namespace loci::cuda
