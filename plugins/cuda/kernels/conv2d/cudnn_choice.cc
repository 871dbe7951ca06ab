// Which of cuDNN's algorithms a convolution is computed by.
#include <algorithm>
#include <iterator>
#include <loci/plugin/dtype_visit.hpp>
#include <string>

#include "device.h"
#include "kernels/conv2d/cudnn_convolution.h"
#include "kernels/library/autotuning.h"

namespace loci::cuda {
namespace {

// Algorithms that transform halves need room for images and results in another order.
constexpr std::uint64_t kUsualRoom = std::uint64_t{256} << 20;
constexpr std::uint64_t kRoomPerByte = 2;

// Transforms of windows lose digits, as much as the operators allow from so many channels on.
constexpr std::int64_t kTransformedChannels = 24;
constexpr std::int64_t kTransformedExtent = 3;

constexpr int kMostAlgorithms = 16;

ConvBytes bytes_of(const sdk::ConvShape& shape, loci_dtype dtype) {
  const auto bytes = [&](std::int64_t elements) {
    return static_cast<std::uint64_t>(elements) * sdk::dtype_bytes(dtype);
  };
  const std::int64_t channels = shape.groups * shape.group_channels;
  const std::int64_t filters = shape.groups * shape.group_filters;
  return {bytes(shape.batch * channels * shape.image_size()), bytes(filters * shape.window_size()),
          bytes(shape.batch * filters * shape.windows())};
}

// Returns what tells a convolution from all others for which the library may name other algorithms.
std::string key_of(ConvPass pass, loci_dtype dtype, const sdk::ConvShape& shape,
                   const CudnnEpilogue& epilogue) {
  std::string bytes;
  const auto add = [&](std::int64_t value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const auto value : {static_cast<std::int64_t>(pass), static_cast<std::int64_t>(dtype),
                           shape.batch, shape.groups, shape.group_channels, shape.group_filters}) {
    add(value);
  }
  for (const sdk::WindowAxis& axis : {shape.window.height, shape.window.width}) {
    for (const auto value :
         {axis.input, axis.kernel, axis.output, axis.stride, axis.before, axis.dilation}) {
      add(value);
    }
  }
  for (const bool has : {epilogue.is_fused, epilogue.bias, epilogue.residual, epilogue.relu}) {
    add(has);
  }
  return bytes;
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

}  // namespace

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

// Without TF32 the arithmetic stays what was asked for, whatever the heuristics name.
std::vector<cudnn::Choice> CudnnConvolution::candidates(loci_dtype dtype,
                                                        const sdk::ConvShape& shape,
                                                        std::size_t most) const {
  // With no activation the library adds a bias to this one alone.
  const bool is_fixed = epilogue_.is_fused && !epilogue_.relu;
  const std::vector<cudnn::Algorithm> allowed =
      is_fixed ? std::vector<cudnn::Algorithm>{cudnn::kForwardPrecomputedGemm}
               : algorithms_of(pass_, may_transform(pass_, dtype, shape));
  const ConvBytes bytes = bytes_of(shape, dtype);
  const std::uint64_t room =
      std::max(kUsualRoom, kRoomPerByte * (bytes.image + bytes.filter + bytes.result));
  const bool keeps_math = dtype == LOCI_DTYPE_F32 && !handles_.uses_tf32();
  std::vector<cudnn::Choice> found;
  for (const cudnn::AlgorithmResult& result : ask_heuristics()) {
    if (found.size() == most) break;
    const bool is_allowed =
        std::find(allowed.begin(), allowed.end(), result.algorithm) != allowed.end();
    if (!is_allowed || result.status != 0 || result.determinism != cudnn::kDeterministic) continue;
    const cudnn::MathType math = keeps_math ? cudnn::kFmaMath : result.math;
    set_math(math);
    const auto workspace = workspace_of(result.algorithm);
    if (!workspace || std::max(result.memory, *workspace) > room) continue;
    found.push_back({result.algorithm, math, *workspace});
  }
  return found;
}

cudnn::Choice CudnnConvolution::choose(Device& device, loci_dtype dtype,
                                       const sdk::ConvShape& shape) {
  const auto found = candidates(dtype, shape, handles_.tries_algorithms() ? kMostAlgorithms : 1);
  if (found.empty()) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED,
                     "cuDNN has no algorithm for these shapes and types that sums in one order");
  }
  if (found.size() == 1) return found.front();
  const auto tried = handles_.tried().find(key_of(pass_, dtype, shape, epilogue_), [&] {
    return fastest(found, device, bytes_of(shape, dtype));
  });
  return tried.value_or(found.front());
}

cudnn::Choice CudnnConvolution::fastest(const std::vector<cudnn::Choice>& candidates,
                                        Device& device, const ConvBytes& bytes) const {
  try {
    const std::vector<float> times = times_of(candidates, device, bytes);
    return candidates[static_cast<std::size_t>(std::min_element(times.begin(), times.end()) -
                                               times.begin())];
  } catch (const sdk::Error& error) {
    if (error.code() != LOCI_CODE_OUT_OF_MEMORY) throw;
  }
  return candidates.front();
}

std::vector<float> CudnnConvolution::times_of(const std::vector<cudnn::Choice>& candidates,
                                              Device& device, const ConvBytes& bytes) const {
  std::uint64_t workspace = 0;
  for (const cudnn::Choice& each : candidates) {
    workspace = std::max<std::uint64_t>(workspace, each.workspace);
  }
  Autotuning tuning(device, Autotuning::taken(bytes.image) + Autotuning::taken(bytes.filter) +
                                3 * Autotuning::taken(bytes.result) + Autotuning::taken(zeros_) +
                                Autotuning::taken(workspace));
  void* const image = tuning.take(bytes.image);
  void* const filter = tuning.take(bytes.filter);
  void* const result = tuning.take(bytes.result);
  CudnnOperands operands{image, filter, nullptr, nullptr, result, nullptr};
  if (pass_ == ConvPass::kImageGrad) operands = {result, filter, nullptr, nullptr, image, nullptr};
  if (pass_ == ConvPass::kFilterGrad) operands = {image, result, nullptr, nullptr, filter, nullptr};
  operands.residual = tuning.take(bytes.result);
  operands.bias = tuning.take(bytes.result);
  operands.workspace = static_cast<char*>(tuning.take(zeros_));
  auto* const scratch = static_cast<char*>(tuning.take(workspace));
  const auto time_of = [&](const cudnn::Choice& choice) {
    set_math(choice.math);
    return tuning.shortest([&](CUstream stream) {
      const CudnnHandles::Taken handle = handles_.take(stream);
      return run(handle.get(), choice, operands, choice.workspace == 0 ? nullptr : scratch) == 0;
    });
  };
  std::vector<float> times;
  std::transform(candidates.begin(), candidates.end(), std::back_inserter(times), time_of);
  return times;
}

void CudnnConvolution::set_math(cudnn::MathType math) const {
  require(library_->cudnnSetConvolutionMathType(convolution_.get(), math),
          "describing the arithmetic");
}

std::optional<std::size_t> CudnnConvolution::workspace_of(cudnn::Algorithm algorithm) const {
  std::size_t bytes = 0;
  const CudnnHandles::Taken handle = handles_.take();
  const auto ask = [&](auto function, auto first, auto second, auto out) {
    return function(handle.get(), first, second, convolution_.get(), out, algorithm, &bytes) == 0;
  };
  bool is_told = false;
  switch (pass_) {
    case ConvPass::kForward:
      is_told = ask(library_->cudnnGetConvolutionForwardWorkspaceSize, image_.get(), filter_.get(),
                    result_.get());
      break;
    case ConvPass::kImageGrad:
      is_told = ask(library_->cudnnGetConvolutionBackwardDataWorkspaceSize, filter_.get(),
                    result_.get(), image_.get());
      break;
    case ConvPass::kFilterGrad:
      is_told = ask(library_->cudnnGetConvolutionBackwardFilterWorkspaceSize, image_.get(),
                    result_.get(), filter_.get());
  }
  if (!is_told) return std::nullopt;
  return bytes;
}

}  // namespace loci::cuda
