// A convolution on the stream of a handle: checked, and launched.
#pragma once

#include "tools/cuda_double/cudnn/handle.h"
#include "tools/cuda_double/cudnn/problem.h"

namespace loci::cudnn_double {

// The addresses of a call. What is computed is not among the operands.
struct Operands {
  const void* image = nullptr;
  const void* filter = nullptr;
  const void* result = nullptr;
  void* out = nullptr;
  const void* alpha = nullptr;  // of the host
  const void* beta = nullptr;   // of `out`, or of the residual where there is an ending
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

// cudnnConvolutionBiasActivationForward does this besides the convolution.
struct Ending {
  const void* residual = nullptr;
  const void* bias = nullptr;
  int activation = kIdentity;
};

// Throws Refusal. Asynchronous; nodes where the stream is captured.
void enqueue_convolution(const Handle::Use& handle, const Problem& problem, int algorithm,
                         const Operands& operands, const Ending* ending = nullptr);

}  // namespace loci::cudnn_double
