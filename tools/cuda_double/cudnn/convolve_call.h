// A launch of the double's kernels; for both sides of it.
#pragma once

#include <cstdint>

namespace loci::cudnn_double {

enum class CallPass : std::uint32_t { kForward, kImageGrad, kFilterGrad };

struct CallAxis {
  std::int64_t input;
  std::int64_t kernel;
  std::int64_t output;
  std::int64_t padding;
  std::int64_t stride;
  std::int64_t dilation;
};

struct ConvolveCall {
  std::uint64_t image;  // one of these three is what is computed
  std::uint64_t filter;
  std::uint64_t result;
  std::uint64_t out;
  std::uint64_t residual;   // of each element; 0: none
  std::uint64_t bias;       // of each channel; 0: none
  std::uint64_t workspace;  // parts * results sums, unless there is one part
  CallAxis height;
  CallAxis width;
  std::int64_t batch;
  std::int64_t groups;
  std::int64_t group_channels;
  std::int64_t group_filters;
  std::int64_t results;
  std::int64_t terms;  // of a sum
  std::int64_t parts;
  float alpha;
  float beta;  // of what was in `out`; 0: that is not read
  float residual_factor;
  CallPass pass;
  std::uint32_t is_relu;
  std::uint32_t is_tf32;
};

}  // namespace loci::cudnn_double
