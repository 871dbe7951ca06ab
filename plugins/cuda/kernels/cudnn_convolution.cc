#include "kernels/cudnn_convolution.h"

#include <algorithm>
#include <array>
#include <limits>
#include <loci/plugin/dtype_visit.hpp>
#include <string>

#include "device.h"
#include "kernels/library_workspace.h"

namespace loci::cuda {
namespace {

// Algorithms that transform halves need room for images and results in another order.
constexpr std::uint64_t kUsualRoom = std::uint64_t{256} << 20;
constexpr std::uint64_t kRoomPerByte = 2;

// Transforms of windows lose digits, as much as the operators allow from so many channels on.
constexpr std::int64_t kTransformedChannels = 24;
constexpr std::int64_t kTransformedExtent = 3;

constexpr int kMostAlgorithms = 16;

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

std::int64_t elements_of(const sdk::ConvShape& shape) {
  return shape.batch *
             (channels_of(shape) * shape.image_size() + filters_of(shape) * shape.windows()) +
         filters_of(shape) * shape.window_size();
}

bool may_transform(ConvPass pass, loci_dtype dtype, const sdk::ConvShape& shape) {
  const auto is_plain = [](const sdk::WindowAxis& axis) {
    return axis.kernel == kTransformedExtent && axis.stride == 1 && axis.dilation == 1;
  };
  const std::int64_t summed =
      pass == ConvPass::kForward ? shape.group_channels : shape.group_filters;
  return dtype == LOCI_DTYPE_F32 && shape.groups == 1 && is_plain(shape.window.height) &&
         is_plain(shape.window.width) && summed >= kTransformedChannels;
}

// Those whose sums have one order, and lose no more digits than the operators say. None of those
// that go through Fourier's transform are among them.
std::vector<cudnn::Algorithm> algorithms_of(ConvPass pass, bool may_transform) {
  std::vector<cudnn::Algorithm> all;
  switch (pass) {
    case ConvPass::kForward:
      all = {cudnn::kForwardImplicitGemm, cudnn::kForwardPrecomputedGemm, cudnn::kForwardGemm};
      if (may_transform)
        all.insert(all.end(), {cudnn::kForwardWinograd, cudnn::kForwardWinogradUnfused});
      break;
    case ConvPass::kImageGrad:
      all = {cudnn::kImageGradGemm};
      if (may_transform)
        all.insert(all.end(), {cudnn::kImageGradWinograd, cudnn::kImageGradWinogradUnfused});
      break;
    case ConvPass::kFilterGrad: all = {cudnn::kFilterGradGemm};
  }
  return all;
}

constexpr float kZero = 0;
constexpr float kOne = 1;

}  // namespace

CudnnConvolution::CudnnConvolution(Device& device, ConvPass pass, loci_dtype dtype,
                                   const sdk::ConvShape& shape, const CudnnEnding& ending)
    : handles_(device.cudnn()),
      library_(handles_.library()),
      pass_(pass),
      ending_(ending),
      image_(make(library_->cudnnCreateTensorDescriptor, library_->cudnnDestroyTensorDescriptor)),
      filter_(make(library_->cudnnCreateFilterDescriptor, library_->cudnnDestroyFilterDescriptor)),
      result_(make(library_->cudnnCreateTensorDescriptor, library_->cudnnDestroyTensorDescriptor)),
      convolution_(make(library_->cudnnCreateConvolutionDescriptor,
                        library_->cudnnDestroyConvolutionDescriptor)),
      bias_(make(library_->cudnnCreateTensorDescriptor, library_->cudnnDestroyTensorDescriptor)),
      activation_(make(library_->cudnnCreateActivationDescriptor,
                       library_->cudnnDestroyActivationDescriptor)) {
  describe(dtype, shape);
  choose(dtype, shape);
  if (!ending.is_fused || ending.bias) return;
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(filters_of(shape)) * sdk::dtype_bytes(dtype);
  zeros_ = (bytes + kLibraryAlignment - 1) / kLibraryAlignment * kLibraryAlignment;
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
  describe_ending(type, filters);
}

void CudnnConvolution::describe_ending(cudnn::DataType type, int filters) {
  require(library_->cudnnSetTensor4dDescriptor(bias_.get(), cudnn::kNchw, type, 1, filters, 1, 1),
          "describing the bias");
  require(library_->cudnnSetActivationDescriptor(activation_.get(),
                                                 ending_.relu ? cudnn::kRelu : cudnn::kIdentity,
                                                 cudnn::kPropagateNan, 0),
          "describing the activation");
}

// Best first, as its heuristics see it.
std::vector<cudnn::AlgorithmResult> CudnnConvolution::ask_heuristics() const {
  std::vector<cudnn::AlgorithmResult> results(kMostAlgorithms);
  int count = 0;
  const CudnnHandles::Taken handle = handles_.take();
  const auto ask = [&](auto function, auto first, auto second, auto result) {
    require(function(handle.get(), first, second, convolution_.get(), result, kMostAlgorithms,
                     &count, results.data()),
            "choosing an algorithm");
  };
  switch (pass_) {
    case ConvPass::kForward:
      ask(library_->cudnnGetConvolutionForwardAlgorithm_v7, image_.get(), filter_.get(),
          result_.get());
      break;
    case ConvPass::kImageGrad:
      ask(library_->cudnnGetConvolutionBackwardDataAlgorithm_v7, filter_.get(), result_.get(),
          image_.get());
      break;
    case ConvPass::kFilterGrad:
      ask(library_->cudnnGetConvolutionBackwardFilterAlgorithm_v7, image_.get(), result_.get(),
          filter_.get());
  }
  results.resize(static_cast<std::size_t>(std::clamp(count, 0, kMostAlgorithms)));
  return results;
}

void CudnnConvolution::choose(loci_dtype dtype, const sdk::ConvShape& shape) {
  // With no activation the library adds a bias to this one alone.
  const bool is_fixed = ending_.is_fused && !ending_.relu;
  const std::vector<cudnn::Algorithm> allowed =
      is_fixed ? std::vector<cudnn::Algorithm>{cudnn::kForwardPrecomputedGemm}
               : algorithms_of(pass_, may_transform(pass_, dtype, shape));
  const std::uint64_t room =
      std::max(kUsualRoom, kRoomPerByte * static_cast<std::uint64_t>(elements_of(shape)) *
                               sdk::dtype_bytes(dtype));
  for (const cudnn::AlgorithmResult& result : ask_heuristics()) {
    const bool is_allowed =
        std::find(allowed.begin(), allowed.end(), result.algorithm) != allowed.end();
    if (!is_allowed || result.status != 0 || result.determinism != cudnn::kDeterministic) continue;
    if (result.memory <= room && take(result, dtype) && workspace_ <= room) return;
  }
  throw sdk::Error(LOCI_CODE_UNSUPPORTED,
                   "cuDNN has no algorithm for these shapes and types that sums in one order");
}

// Without TF32 the arithmetic stays what was asked for, whatever the heuristics name.
bool CudnnConvolution::take(const cudnn::AlgorithmResult& result, loci_dtype dtype) {
  if (dtype != LOCI_DTYPE_F32 || handles_.uses_tf32()) {
    require(library_->cudnnSetConvolutionMathType(convolution_.get(), result.math),
            "describing the arithmetic");
  }
  algorithm_ = result.algorithm;
  std::size_t bytes = 0;
  const CudnnHandles::Taken handle = handles_.take();
  const auto ask = [&](auto function, auto first, auto second, auto out) {
    return function(handle.get(), first, second, convolution_.get(), out, algorithm_, &bytes) == 0;
  };
  bool is_taken = false;
  switch (pass_) {
    case ConvPass::kForward:
      is_taken = ask(library_->cudnnGetConvolutionForwardWorkspaceSize, image_.get(), filter_.get(),
                     result_.get());
      break;
    case ConvPass::kImageGrad:
      is_taken = ask(library_->cudnnGetConvolutionBackwardDataWorkspaceSize, filter_.get(),
                     result_.get(), image_.get());
      break;
    case ConvPass::kFilterGrad:
      is_taken = ask(library_->cudnnGetConvolutionBackwardFilterWorkspaceSize, image_.get(),
                     result_.get(), filter_.get());
  }
  workspace_ = bytes;
  return is_taken;
}

cudnn::Status CudnnConvolution::enqueue(const CudnnOperands& operands, CUstream stream) const {
  const CudnnHandles::Taken handle = handles_.take(stream);
  char* const workspace = workspace_ == 0 ? nullptr : operands.workspace + zeros_;
  const cudnn::Status status = run(handle.get(), operands, workspace);
  if (cudnn::kind_of(status) == cudnn::StatusKind::kNotSupported) return status;
  handles_.check(status, "convolving by cuDNN");
  return 0;
}

cudnn::Status CudnnConvolution::run(cudnn::Handle handle, const CudnnOperands& operands,
                                    char* workspace) const {
  switch (pass_) {
    case ConvPass::kImageGrad:
      return library_->cudnnConvolutionBackwardData(handle, &kOne, filter_.get(), operands.other,
                                                    result_.get(), operands.x, convolution_.get(),
                                                    algorithm_, workspace, workspace_, &kZero,
                                                    image_.get(), operands.out);
    case ConvPass::kFilterGrad:
      return library_->cudnnConvolutionBackwardFilter(
          handle, &kOne, image_.get(), operands.x, result_.get(), operands.other,
          convolution_.get(), algorithm_, workspace, workspace_, &kZero, filter_.get(),
          operands.out);
    case ConvPass::kForward: break;
  }
  if (!ending_.is_fused) {
    return library_->cudnnConvolutionForward(
        handle, &kOne, image_.get(), operands.x, filter_.get(), operands.other, convolution_.get(),
        algorithm_, workspace, workspace_, &kZero, result_.get(), operands.out);
  }
  // Without a residual the result stands for it, times nothing, which is not read.
  return library_->cudnnConvolutionBiasActivationForward(
      handle, &kOne, image_.get(), operands.x, filter_.get(), operands.other, convolution_.get(),
      algorithm_, workspace, workspace_, ending_.residual ? &kOne : &kZero, result_.get(),
      ending_.residual ? operands.residual : operands.out, bias_.get(),
      ending_.bias ? operands.bias : operands.workspace, activation_.get(), result_.get(),
      operands.out);
}

}  // namespace loci::cuda
