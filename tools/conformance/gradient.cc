#include "tools/conformance/gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace loci::conformance {
namespace {

struct Difference {
  Real value = 0;
  Real bound = 0;
};

// The case's outputs at four points around one element of an input.
class Stencil {
 public:
  Stencil(const GradientProbe& probe, std::size_t input, std::size_t element)
      : middle_((*probe.inputs)[input].values[element]),
        h_(std::cbrt(Real{std::numeric_limits<double>::epsilon()}) *
           std::max(Real{1}, std::abs(middle_))) {
    Arrays moved = *probe.inputs;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      moved[input].values[element] = middle_ + kSteps[i] * h_;
      points_[i] = probe.subject->reference(moved);
    }
  }

  [[nodiscard]] const std::vector<Expected>& outputs() const { return points_[0]; }
  [[nodiscard]] Real h() const { return h_; }
  [[nodiscard]] Real derivative(std::size_t output, std::size_t element) const {
    const Real near = value(0, output, element) - value(1, output, element);
    const Real far = value(2, output, element) - value(3, output, element);
    return (8 * near - far) / (12 * h_);
  }

 private:
  [[nodiscard]] Real value(std::size_t point, std::size_t output, std::size_t element) const {
    return points_[point][output].values[element];
  }

  static constexpr std::array<Real, 4> kSteps{1, -1, 2, -2};
  Real middle_;
  Real h_;
  std::array<std::vector<Expected>, 4> points_;
};

// Bounds what the reference's own rounding, and the terms that the stencil leaves, may add.
Real stencil_error(const Stencil& stencil, const Expected& output, std::size_t element) {
  constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
  const Real scale = std::max(Real{1}, std::abs(output.values[element]));
  const Real slack = output.slack.empty() ? 0 : output.slack[element];
  const Real rest = std::pow(stencil.h(), Real{4}) * 1000;
  return rest * scale + 2 * kEpsilon * (scale + slack) / stencil.h();
}

Difference differentiate(const GradientProbe& probe, std::size_t input, std::size_t element) {
  const Stencil stencil(probe, input, element);
  Difference gradient;
  Real magnitude = 0;
  Real terms = 0;
  for (std::size_t k = 0; k < stencil.outputs().size(); ++k) {
    const Expected& output = stencil.outputs()[k];
    if (!is_floating(output.dtype)) continue;
    for (std::size_t i = 0; i < output.size(); ++i) {
      const Real derivative = stencil.derivative(k, i);
      if (derivative == 0) continue;
      const Real weight = (*probe.weights)[k].values[i];
      gradient.value += weight * derivative;
      gradient.bound += std::abs(weight) * stencil_error(stencil, output, i);
      magnitude += std::abs(weight * derivative);
      terms += 1;
    }
  }
  const Precision dtype = precision((*probe.inputs)[input].dtype);
  const Real roundings = terms + probe.subject->gradient_slack;
  gradient.bound += dtype.roundoff() * roundings * magnitude + dtype.smallest();
  return gradient;
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
  const std::size_t stride = x.size() <= probe.samples ? 1 : (x.size() / probe.samples) | 1;
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
