// Parameters of the kernels of batch_norm.cu; for both sides of a launch. Statistics are in what
// elements are computed in.
#pragma once

namespace loci::cuda {

struct BatchNormArguments {
  const void* x;
  const void* scale;
  const void* bias;
  const void* fixed_mean;      // null: statistics of x
  const void* fixed_variance;  // likewise
  void* y;                     // may be x
  void* running_mean;
  void* running_variance;
  void* saved_mean;
  void* saved_inv_std;
  double momentum;
  double epsilon;
};

struct BatchNormGradArguments {
  const void* x;
  const void* scale;
  const void* saved_mean;
  const void* saved_inv_std;
  const void* y_grad;
  void* x_grad;
  void* scale_grad;
  void* bias_grad;
  bool are_statistics_fixed;
};

}  // namespace loci::cuda
