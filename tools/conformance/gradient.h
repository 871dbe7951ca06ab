// Gradients by central differences of a case's reference.
#pragma once

#include <cstddef>

#include "tools/conformance/check.h"

namespace loci::conformance {

// The gradients of sum(weights[k] * output k), over all outputs, as a program computed them.
struct GradientProbe {
  const Case* subject;
  const Arrays* inputs;
  const Arrays* weights;  // one for each output; those of other than floating outputs are not used
  // Elements of an input that are compared, about; each costs four evaluations of the reference.
  std::size_t samples = 24;
};

// Compares a sample of the elements of `got`, the gradient of input `input`, with central
// differences of fourth order, (8 (f(x + h) - f(x - h)) - (f(x + 2h) - f(x - 2h))) / 12h, h the
// cube root of float64's epsilon. The bound allows, in roundoffs of the dtype, one for each output
// element that depends on x and the case's gradient_slack, of the sum of magnitudes; and the error
// of the difference itself: h^4 and the reference's own rounding over h.
Verdict check_gradient(const GradientProbe& probe, std::size_t input, const Array& got);

}  // namespace loci::conformance
