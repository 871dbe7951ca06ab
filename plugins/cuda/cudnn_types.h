// The part of cuDNN 9's C interface that the plugin calls, in declarations of its own: the toolkit
// has no headers of cuDNN. Numbers and layouts are those that the library was built with.
#pragma once

#include <cuda.h>

#include <cstddef>

namespace loci::cuda::cudnn {

// Its thousands say of which kind it is.
using Status = int;

enum class StatusKind : int {
  kSuccess = 0,
  kNotInitialized = 1,
  kBadParameter = 2,
  kNotSupported = 3,
  kInternalError = 4,
  kExecutionFailed = 5,
};

constexpr StatusKind kind_of(Status status) { return static_cast<StatusKind>(status / 1000); }

using Handle = struct HandleOpaque*;
using Tensor = struct TensorOpaque*;
using Filter = struct FilterOpaque*;
using Convolution = struct ConvolutionOpaque*;
using ActivationFunction = struct ActivationOpaque*;

enum DataType : int { kFloat = 0, kHalf = 2, kBfloat16 = 9 };
enum TensorFormat : int { kNchw = 0 };
enum ConvolutionMode : int { kCrossCorrelation = 1 };
enum ActivationMode : int { kRelu = 1, kIdentity = 5 };
enum NanPropagation : int { kPropagateNan = 1 };
enum Determinism : int { kDeterministic = 1 };
// Default may round float32 to TF32; fma does not.
enum MathType : int { kDefaultMath = 0, kTensorMath = 1, kFmaMath = 3 };

// Algorithms of each pass, which have numbers of their own.
using Algorithm = int;
enum ForwardAlgorithm : Algorithm {
  kForwardImplicitGemm = 0,
  kForwardPrecomputedGemm = 1,
  kForwardGemm = 2,
  kForwardWinograd = 6,
  kForwardWinogradUnfused = 7,
};
enum ImageGradAlgorithm : Algorithm {
  kImageGradGemm = 1,
  kImageGradWinograd = 4,
  kImageGradWinogradUnfused = 5,
};
enum FilterGradAlgorithm : Algorithm { kFilterGradGemm = 1 };

// The answer of the heuristics about one algorithm.
struct AlgorithmResult {
  Algorithm algorithm;
  Status status;
  float time;
  std::size_t memory;
  Determinism determinism;
  MathType math;
  int reserved[3];
};
static_assert(sizeof(AlgorithmResult) == 48, "as the library lays it out");

// An algorithm, and what it is run with.
struct Choice {
  Algorithm algorithm = 0;
  MathType math = kDefaultMath;
  std::size_t workspace = 0;
};

}  // namespace loci::cuda::cudnn
