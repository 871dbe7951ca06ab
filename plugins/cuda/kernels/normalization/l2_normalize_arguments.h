// Parameters of the kernels of l2_normalize.cu; for both sides of a launch.
#pragma once

namespace loci::cuda {

struct NormalizeArguments {
  const void* x;
  void* out;   // may be x
  void* norm;  // of each vector, in what its elements are computed in
  double epsilon;
};

struct NormalizeGradArguments {
  const void* out;
  const void* norm;
  const void* out_grad;
  void* x_grad;  // may be out or out_grad
};

}  // namespace loci::cuda
