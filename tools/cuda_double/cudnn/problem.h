// A convolution as a call describes it, checked.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/cuda_double/cudnn/convolve_call.h"
#include "tools/cuda_double/cudnn/descriptors.h"
#include "tools/cuda_double/cudnn/interface.h"

namespace loci::cudnn_double {

// The result is the image by the filter; the pass says which of the three is computed.
struct Problem {
  Pass pass;
  Tensor image;
  Filter filter;
  Convolution convolution;
  Tensor result;

  // Return the number of results that are computed, and of the terms of a sum.
  [[nodiscard]] std::int64_t results() const;
  [[nodiscard]] std::int64_t terms() const;
  // Returns true if float32 is rounded to TF32.
  [[nodiscard]] bool is_tf32() const;
  // Without addresses, factors and parts.
  [[nodiscard]] ConvolveCall call() const;
};

// Throws Refusal where the parts do not fit together, or the double has no such convolution.
[[nodiscard]] Problem problem_of(Pass pass, Tensor* image, Filter* filter, Convolution* convolution,
                                 Tensor* result);

// Best first, as heuristics tell it. Some that do not repeat their sums, or are not of the
// double's, are among them, and some that need a workspace.
[[nodiscard]] std::vector<Result> algorithms_for(const Problem& problem);
// In how many parts of the workspace the algorithm sums. Throws Refusal for one that the double has
// not.
[[nodiscard]] std::int64_t parts_of(const Problem& problem, int algorithm);
// Takes algorithms too that heuristics only tell of, for which parts_of() throws.
[[nodiscard]] std::size_t workspace_of(const Problem& problem, int algorithm);

}  // namespace loci::cudnn_double
