// The reference of softmax along one row, with what its rounding may cost.
#pragma once

#include <vector>

#include "tools/conformance/array.h"

namespace loci::conformance {

struct SoftmaxRow {
  std::vector<Real> values;
  // Error of each value in roundoffs: of x - max (relative to the result |x - max|), exp, the sum
  // of n terms, and the division.
  std::vector<Real> slack;
  Real log_sum = 0;        // log(sum(exp(x)))
  Real log_sum_slack = 0;  // its error in roundoffs
};

SoftmaxRow softmax_row(const std::vector<Real>& x);

}  // namespace loci::conformance
