// Parameters of the kernels of optimizer.cu; for both sides of a launch. The rate, and the step
// that counts updates from 0, lie on the device, so that a captured update sees them change.
#pragma once

#include <cstdint>

namespace loci::cuda {

struct UpdateArguments {
  const void* grad;
  void* param;   // updated, as its state is
  void* first;   // the velocity, or the first moment; in what elements are computed in
  void* second;  // the second moment
  const float* rate;
  const std::int64_t* step;
  std::int64_t counter;  // which of the steps that lie side by side, until a launch finds it
  std::int64_t count;
  double beta1;  // or mu
  double beta2;
  double log_beta1;
  double log_beta2;
  double epsilon;
  double weight_decay;
  bool looks_ahead;
};

}  // namespace loci::cuda
