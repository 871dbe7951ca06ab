#include "tools/cuda_double/cudnn/problem.h"

#include <fmt/format.h>

namespace loci::cudnn_double {
namespace {

// An algorithm that has a workspace sums in so many parts.
constexpr std::int64_t kParts = 2;

std::int64_t product(const std::array<int, 4>& extents) {
  std::int64_t all = 1;
  for (const int extent : extents) all *= extent;
  return all;
}

CallAxis axis_of(const Problem& problem, std::size_t axis) {
  const Convolution& convolution = problem.convolution;
  return {problem.image.extents[2 + axis],  problem.filter.extents[2 + axis],
          problem.result.extents[2 + axis], convolution.padding[axis],
          convolution.stride[axis],         convolution.dilation[axis]};
}

std::int64_t windows_of(const CallAxis& axis) {
  const std::int64_t span = (axis.kernel - 1) * axis.dilation + 1;
  return (axis.input + 2 * axis.padding - span) / axis.stride + 1;
}

void check_extents(const Problem& problem) {
  const auto& image = problem.image.extents;
  const auto& filter = problem.filter.extents;
  const auto& result = problem.result.extents;
  const int groups = problem.convolution.groups;
  require(image[1] == filter[1] * groups,
          fmt::format("the image has {} channels, and {} groups of the filter's {} fit", image[1],
                      groups, filter[1]));
  require(filter[0] % groups == 0,
          fmt::format("{} filters are not divided into {} groups", filter[0], groups));
  require(result[0] == image[0] && result[1] == filter[0],
          fmt::format("the result has [{}, {}] planes, and [{}, {}] fit", result[0], result[1],
                      image[0], filter[0]));
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t windows = windows_of(axis_of(problem, axis));
    require(result[2 + axis] == windows,
            fmt::format("the result has an extent of {}, and {} fits", result[2 + axis], windows));
  }
}

void check_types(const Problem& problem) {
  const int type = problem.image.type;
  require(problem.filter.type == type && problem.result.type == type,
          "image, filter and result differ in type");
  require_supported(type == kFloat || type == kHalf || type == kBfloat16,
                    fmt::format("the double has no convolution of type {}", type));
  require_supported(problem.convolution.compute == kFloat, "sums are of float32");
}

}  // namespace

std::int64_t Problem::results() const {
  switch (pass) {
    case Pass::kImageGrad: return product(image.extents);
    case Pass::kFilterGrad: return product(filter.extents);
    case Pass::kForward: break;
  }
  return product(result.extents);
}

std::int64_t Problem::terms() const {
  const std::int64_t taps = std::int64_t{filter.extents[2]} * filter.extents[3];
  switch (pass) {
    case Pass::kImageGrad: return filter.extents[0] / convolution.groups * taps;
    case Pass::kFilterGrad:
      return std::int64_t{result.extents[0]} * result.extents[2] * result.extents[3];
    case Pass::kForward: break;
  }
  return filter.extents[1] * taps;
}

bool Problem::is_tf32() const { return image.type == kFloat && convolution.math != kFmaMath; }

ConvolveCall Problem::call() const {
  ConvolveCall call{};
  call.height = axis_of(*this, 0);
  call.width = axis_of(*this, 1);
  call.batch = image.extents[0];
  call.groups = convolution.groups;
  call.group_channels = filter.extents[1];
  call.group_filters = filter.extents[0] / convolution.groups;
  call.results = results();
  call.terms = terms();
  call.pass = static_cast<CallPass>(pass);
  call.is_tf32 = is_tf32() ? 1 : 0;
  return call;
}

Problem problem_of(Pass pass, Tensor* image, Filter* filter, Convolution* convolution,
                   Tensor* result) {
  Problem problem{pass, given(image), given(filter), given(convolution), given(result)};
  check_types(problem);
  check_extents(problem);
  return problem;
}

std::vector<Result> algorithms_for(const Problem& problem) {
  const auto result = [&](int algorithm, std::size_t memory, bool repeats, int status = kSuccess) {
    return Result{algorithm, status,          status == kSuccess ? 1.0F : -1.0F,
                  memory,    repeats ? 1 : 0, problem.convolution.math,
                  {}};
  };
  if (problem.pass == Pass::kForward) {
    const std::size_t memory = workspace_of(problem, kForwardPrecomputedGemm);
    return {result(kForwardFftTiling, 0, true), result(kForwardPrecomputedGemm, memory, true),
            result(kForwardImplicitGemm, 0, true)};
  }
  return {result(kGradAtomic, 0, false), result(kGradGemm, workspace_of(problem, kGradGemm), true)};
}

std::int64_t parts_of(const Problem& problem, int algorithm) {
  const bool is_forward = problem.pass == Pass::kForward;
  if (is_forward && algorithm == kForwardImplicitGemm) return 1;
  require(algorithm == (is_forward ? kForwardPrecomputedGemm : kGradGemm),
          fmt::format("the double does not compute by algorithm {}", algorithm));
  return kParts;
}

std::size_t workspace_of(const Problem& problem, int algorithm) {
  const bool is_told_alone =
      algorithm == (problem.pass == Pass::kForward ? kForwardFftTiling : kGradAtomic);
  if (is_told_alone) return 0;
  const std::int64_t parts = parts_of(problem, algorithm);
  return parts == 1 ? 0 : static_cast<std::size_t>(parts * problem.results()) * sizeof(float);
}

}  // namespace loci::cudnn_double
