// Parameters of the kernels of softmax.cu; for both sides of a launch.
#pragma once

namespace loci::cuda {

struct SoftmaxArguments {
  const void* x;
  void* out;  // may be x
};

}  // namespace loci::cuda
