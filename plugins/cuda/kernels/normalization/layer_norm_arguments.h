// Parameters of the kernels of layer_norm.cu; for both sides of a launch. Statistics are in what
// elements are computed in.
#pragma once

namespace loci::cuda {

struct LayerNormArguments {
  const void* x;
  const void* scale;  // or null
  const void* bias;   // or null
  void* y;            // may be x
  void* mean;
  void* inv_std;
  double epsilon;
};

struct LayerNormGradArguments {
  const void* x;
  const void* mean;
  const void* inv_std;
  const void* y_grad;
  const void* scale;  // or null
  void* x_grad;
};

// The arguments of the sums over rows, besides y_grad and the gradient of the scale, or null.
struct LayerNormSumsArguments {
  const void* x;
  const void* mean;
  const void* inv_std;
  void* bias_grad;  // or null
};

}  // namespace loci::cuda
