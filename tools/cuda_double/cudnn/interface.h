// The part of cuDNN 9's C interface that the double has, in declarations of its own.
#pragma once

#include <cuda.h>

#include <cstddef>

namespace loci::cudnn_double {

enum Status : int {
  kSuccess = 0,
  kNotInitialized = 1001,
  kSublibraryVersionMismatch = 1002,
  kBadParameter = 2000,
  kMisalignedPointer = 2003,
  kSizeInsufficient = 2006,
  kNotSupported = 3000,
  kInternalError = 4000,
  kExecutionFailedDriver = 5001,
};

enum Type : int { kFloat = 0, kHalf = 2, kBfloat16 = 9 };
enum Format : int { kNchw = 0 };
enum Mode : int { kCrossCorrelation = 1 };
enum ActivationMode : int { kRelu = 1, kIdentity = 5 };
enum Math : int { kDefaultMath = 0, kTensorMath = 1, kFmaMath = 3 };

enum class Pass { kForward, kImageGrad, kFilterGrad };

// Numbers of algorithms, which each pass has of its own.
inline constexpr int kForwardImplicitGemm = 0;
inline constexpr int kForwardPrecomputedGemm = 1;
inline constexpr int kForwardFftTiling = 5;
inline constexpr int kGradAtomic = 0;
inline constexpr int kGradGemm = 1;

// Heuristics say this of an algorithm.
struct Result {
  int algorithm;
  int status;
  float time;
  std::size_t memory;
  int determinism;
  int math;
  int reserved[3];
};

}  // namespace loci::cudnn_double
