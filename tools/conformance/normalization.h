// The reference of normalising a group of elements, with what rounding may cost.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/conformance/array.h"

namespace loci::conformance {

// All errors in roundoffs of the arithmetic.
struct GroupMoments {
  Real mean = 0;
  Real mean_error = 0;  // of a sum of n terms and a division
  Real variance = 0;
  Real variance_error = 0;  // two passes: n squares of distances from the rounded mean
};

// Zeros for an empty group.
GroupMoments moments_of(const std::vector<Real>& x);

// 1 / sqrt(variance + epsilon).
struct InverseDeviation {
  Real value = 0;
  Real error = 0;
};
InverseDeviation inverse_deviation(const GroupMoments& moments, Real epsilon);

// (x - mean) * inv_std * scale + bias for one element.
struct NormalizedElement {
  Real value = 0;
  Real error = 0;
};
NormalizedElement normalized_element(Real x, const GroupMoments& moments,
                                     const InverseDeviation& inv_std, Real scale, Real bias);

// Gradients of a group with h = (x - mean) * inv_std and g = y_grad * scale, where mean and inv_std
// are given: inv_std * (g - mean(g) - h * mean(g * h)); with `fixed` inv_std * g.
struct GroupGradient {
  std::vector<Real> x_grad;
  std::vector<Real> error;
  // y_grad * h, the terms of the gradient of the scale, and what their rounding may cost.
  std::vector<Real> scale_terms;
  std::vector<Real> scale_errors;
};
struct GroupInputs {
  std::vector<Real> x;
  std::vector<Real> y_grad;
  std::vector<Real> scale;  // one for each element
  Real mean = 0;
  Real inv_std = 0;
  bool fixed = false;
};
GroupGradient group_gradient(const GroupInputs& group);

}  // namespace loci::conformance
