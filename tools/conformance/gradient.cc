#include "tools/conformance/gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace loci::conformance {
namespace {

// Each costs two evaluations of the reference.
constexpr std::size_t kSamples = 24;

struct Difference {
  Real value = 0;
  Real bound = 0;
};

std::vector<Expected> evaluate_at(const GradientProbe& probe, std::size_t input,
                                  std::size_t element, Real value) {
  Arrays moved = *probe.inputs;
  moved[input].values[element] = value;
  return probe.subject->reference(moved);
}

Difference differentiate(const GradientProbe& probe, std::size_t input, std::size_t element) {
  constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
  const Array& x = (*probe.inputs)[input];
  const Real h = std::cbrt(kEpsilon) * std::max(Real{1}, std::abs(x.values[element]));
  const auto above = evaluate_at(probe, input, element, x.values[element] + h);
  const auto below = evaluate_at(probe, input, element, x.values[element] - h);
  Real gradient = 0;
  Real magnitude = 0;
  Real difference_error = 0;
  Real terms = 0;
  for (std::size_t k = 0; k < above.size(); ++k) {
    if (!is_floating(above[k].dtype)) continue;
    for (std::size_t i = 0; i < above[k].size(); ++i) {
      const Real change = above[k].values[i] - below[k].values[i];
      if (change == 0) continue;
      const Real weight = (*probe.weights)[k].values[i];
      const Real scale = std::max(Real{1}, std::abs(above[k].values[i]));
      const Real slack = above[k].slack.empty() ? 0 : above[k].slack[i];
      gradient += weight * change / (2 * h);
      magnitude += std::abs(weight * change / (2 * h));
      difference_error += std::abs(weight) * (2 * h * h * scale + kEpsilon * (scale + slack) / h);
      terms += 1;
    }
  }
  const Real roundoff = precision(x.dtype).roundoff();
  const Real roundings = terms + probe.subject->gradient_slack;
  return {gradient,
          roundoff * roundings * magnitude + difference_error + precision(x.dtype).smallest()};
}

}  // namespace

Verdict check_gradient(const GradientProbe& probe, std::size_t input, const Array& got) {
  const Array& x = (*probe.inputs)[input];
  if (got.dtype != x.dtype || got.shape != x.shape) {
    return {
        fmt::format("the gradient of input {} is {}, want {}", input, describe(got), describe(x)),
        0};
  }
  Verdict verdict;
  // An odd stride, so that samples do not stay in one row or column.
  const std::size_t stride = x.size() <= kSamples ? 1 : (x.size() / kSamples) | 1;
  for (std::size_t i = 0; i < x.size(); i += stride) {
    const Difference want = differentiate(probe, input, i);
    const Real error = std::abs(got.values[i] - want.value);
    const Real used =
        error <= want.bound ? error / want.bound : std::numeric_limits<Real>::infinity();
    if (used > 1 && verdict.good()) {
      verdict.message = fmt::format(
          "the gradient of input {}, {}, element {} at {}: got {:.17g}, central differences give "
          "{:.17g}, bound {:.3g}",
          input, describe(got), i, Shape(index_of(got.shape, i)).to_string(), got.values[i],
          want.value, want.bound);
    }
    verdict.worst = std::max(verdict.worst, used);
  }
  return verdict;
}

}  // namespace loci::conformance
