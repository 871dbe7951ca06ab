#include "kernels/conv2d/cudnn_convolution.h"

#include <loci/plugin/dtype_visit.hpp>
#include <string>

#include "device.h"
#include "kernels/library/library_workspace.h"

namespace loci::cuda {
namespace {

cudnn::DataType data_type_of(loci_dtype dtype) {
  switch (dtype) {
    case LOCI_DTYPE_F16: return cudnn::kHalf;
    case LOCI_DTYPE_BF16: return cudnn::kBfloat16;
    case LOCI_DTYPE_F32: return cudnn::kFloat;
    default: sdk::fail_dtype(dtype);
  }
}

// Sums are float32.
cudnn::MathType math_of(loci_dtype dtype, bool uses_tf32) {
  if (dtype != LOCI_DTYPE_F32) return cudnn::kTensorMath;
  return uses_tf32 ? cudnn::kDefaultMath : cudnn::kFmaMath;
}

int count_of(std::int64_t extent) { return static_cast<int>(extent); }

std::int64_t filters_of(const sdk::ConvShape& shape) { return shape.groups * shape.group_filters; }
std::int64_t channels_of(const sdk::ConvShape& shape) {
  return shape.groups * shape.group_channels;
}

constexpr float kZero = 0;
constexpr float kOne = 1;

}  // namespace

CudnnConvolution::CudnnConvolution(Device& device, ConvPass pass, loci_dtype dtype,
                                   const sdk::ConvShape& shape, const CudnnEpilogue& epilogue)
    : handles_(device.cudnn()),
      library_(handles_.library()),
      pass_(pass),
      epilogue_(epilogue),
      image_(make(library_->cudnnCreateTensorDescriptor, library_->cudnnDestroyTensorDescriptor)),
      filter_(make(library_->cudnnCreateFilterDescriptor, library_->cudnnDestroyFilterDescriptor)),
      result_(make(library_->cudnnCreateTensorDescriptor, library_->cudnnDestroyTensorDescriptor)),
      convolution_(make(library_->cudnnCreateConvolutionDescriptor,
                        library_->cudnnDestroyConvolutionDescriptor)),
      bias_(make(library_->cudnnCreateTensorDescriptor, library_->cudnnDestroyTensorDescriptor)),
      activation_(make(library_->cudnnCreateActivationDescriptor,
                       library_->cudnnDestroyActivationDescriptor)) {
  describe(dtype, shape);
  if (epilogue.is_fused && !epilogue.bias) {
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(filters_of(shape)) * sdk::dtype_bytes(dtype);
    zeros_ = (bytes + kLibraryAlignment - 1) / kLibraryAlignment * kLibraryAlignment;
  }
  chosen_ = choose(device, dtype, shape);
  set_math(chosen_.math);
}

template <class Opaque>
CudnnConvolution::Owned<Opaque> CudnnConvolution::make(cudnn::Status (*create)(Opaque**),
                                                       cudnn::Status (*destroy)(Opaque*)) const {
  Opaque* made = nullptr;
  handles_.check(create(&made), "making a descriptor of cuDNN");
  return {made, destroy};
}

void CudnnConvolution::require(cudnn::Status status, const char* action) const {
  const cudnn::StatusKind kind = cudnn::kind_of(status);
  if (kind == cudnn::StatusKind::kNotSupported || kind == cudnn::StatusKind::kBadParameter) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "cuDNN does not take it (" + std::string(action) +
                                                ": " + library_.status_text(status) + ")");
  }
  handles_.check(status, action);
}

void CudnnConvolution::describe(loci_dtype dtype, const sdk::ConvShape& shape) {
  const cudnn::DataType type = data_type_of(dtype);
  const auto& [height, width] = shape.window;
  const int batch = count_of(shape.batch);
  const int filters = count_of(filters_of(shape));
  require(library_->cudnnSetTensor4dDescriptor(image_.get(), cudnn::kNchw, type, batch,
                                               count_of(channels_of(shape)), count_of(height.input),
                                               count_of(width.input)),
          "describing the image");
  require(library_->cudnnSetFilter4dDescriptor(filter_.get(), type, cudnn::kNchw, filters,
                                               count_of(shape.group_channels),
                                               count_of(height.kernel), count_of(width.kernel)),
          "describing the filter");
  require(library_->cudnnSetTensor4dDescriptor(result_.get(), cudnn::kNchw, type, batch, filters,
                                               count_of(height.output), count_of(width.output)),
          "describing the result");
  require(library_->cudnnSetConvolution2dDescriptor(
              convolution_.get(), count_of(height.before), count_of(width.before),
              count_of(height.stride), count_of(width.stride), count_of(height.dilation),
              count_of(width.dilation), cudnn::kCrossCorrelation, cudnn::kFloat),
          "describing the convolution");
  require(library_->cudnnSetConvolutionGroupCount(convolution_.get(), count_of(shape.groups)),
          "describing the groups");
  require(library_->cudnnSetConvolutionMathType(convolution_.get(),
                                                math_of(dtype, handles_.uses_tf32())),
          "describing the arithmetic");
  describe_epilogue(type, filters);
}

void CudnnConvolution::describe_epilogue(cudnn::DataType type, int filters) {
  require(library_->cudnnSetTensor4dDescriptor(bias_.get(), cudnn::kNchw, type, 1, filters, 1, 1),
          "describing the bias");
  require(library_->cudnnSetActivationDescriptor(activation_.get(),
                                                 epilogue_.relu ? cudnn::kRelu : cudnn::kIdentity,
                                                 cudnn::kPropagateNan, 0),
          "describing the activation");
}

cudnn::Status CudnnConvolution::enqueue(const CudnnOperands& operands, CUstream stream) const {
  const CudnnHandles::Taken handle = handles_.take(stream);
  char* const workspace = chosen_.workspace == 0 ? nullptr : operands.workspace + zeros_;
  const cudnn::Status status = run(handle.get(), chosen_, operands, workspace);
  if (cudnn::kind_of(status) == cudnn::StatusKind::kNotSupported) return status;
  handles_.check(status, "convolving by cuDNN");
  return 0;
}

cudnn::Status CudnnConvolution::run(cudnn::Handle handle, const cudnn::Choice& choice,
                                    const CudnnOperands& operands, char* workspace) const {
  switch (pass_) {
    case ConvPass::kImageGrad:
      return library_->cudnnConvolutionBackwardData(handle, &kOne, filter_.get(), operands.other,
                                                    result_.get(), operands.x, convolution_.get(),
                                                    choice.algorithm, workspace, choice.workspace,
                                                    &kZero, image_.get(), operands.out);
    case ConvPass::kFilterGrad:
      return library_->cudnnConvolutionBackwardFilter(
          handle, &kOne, image_.get(), operands.x, result_.get(), operands.other,
          convolution_.get(), choice.algorithm, workspace, choice.workspace, &kZero, filter_.get(),
          operands.out);
    case ConvPass::kForward: break;
  }
  if (!epilogue_.is_fused) {
    return library_->cudnnConvolutionForward(
        handle, &kOne, image_.get(), operands.x, filter_.get(), operands.other, convolution_.get(),
        choice.algorithm, workspace, choice.workspace, &kZero, result_.get(), operands.out);
  }
  // Without a residual the result stands for it, times nothing, which is not read.
  return library_->cudnnConvolutionBiasActivationForward(
      handle, &kOne, image_.get(), operands.x, filter_.get(), operands.other, convolution_.get(),
      choice.algorithm, workspace, choice.workspace, epilogue_.residual ? &kOne : &kZero,
      result_.get(), epilogue_.residual ? operands.residual : operands.out, bias_.get(),
      epilogue_.bias ? operands.bias : operands.workspace, activation_.get(), result_.get(),
      operands.out);
}

}  // namespace loci::cuda
