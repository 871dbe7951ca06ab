// Activations in the reference's precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "tools/conformance/array.h"

namespace loci::conformance {

// A value and its error in roundoffs.
struct Bounded {
  Real value;
  Real slack;
};

// An exponential of two units in the last place, a sum, a quotient, and as much again for other
// ways to compute it.
inline constexpr Real kSmooth = 8;

inline Bounded relu_of(Real x) { return {std::max(x, Real{0}), 0}; }

inline Bounded sigmoid_of(Real x) {
  const Real value = x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
  return {value, kSmooth * value};
}

inline Bounded tanh_of(Real x) {
  const Real value = std::tanh(x);
  return {value, kSmooth * std::abs(value)};
}

inline constexpr Real kRootHalf = 0.707106781186547524400844362104849039L;

inline Real normal(Real x) { return std::erfc(-x * kRootHalf) / 2; }
inline Real density(Real x) {
  return 0.398942280401432677939946059934381868L * std::exp(-x * x / 2);
}

// 1 + erf to within a few roundoffs, not of the small result, times x: what any arrangement keeps.
inline Bounded gelu_of(Real x) {
  const Real value = x < -100 ? -0.0L : x * normal(x);
  return {value, kSmooth * std::min(std::abs(x), Real{100} + std::abs(value))};
}

inline constexpr Real kGeluTwice = 1.595769121605730711759542373L;  // 2 sqrt(2 / pi)
inline constexpr Real kGeluCubic = 0.044715L;

inline Real gelu_argument(Real x) { return kGeluTwice * (x + kGeluCubic * x * x * x); }

inline Bounded gelu_tanh_of(Real x) {
  const Real value = x < -100 ? -0.0L : x * sigmoid_of(gelu_argument(x)).value;
  return {value, kSmooth * std::min(std::abs(x), Real{100} + std::abs(value))};
}

// A sum, a product and a rounded sixth.
inline Bounded hard_sigmoid_of(Real x) {
  const Real value = std::isnan(x) ? x : std::clamp((x + 3) / 6, Real{0}, Real{1});
  return {value, 3 * value};
}

inline Bounded hard_swish_of(Real x) {
  const Real value = std::isnan(x) ? x : std::max(x, Real{-3}) * hard_sigmoid_of(x).value;
  return {value, 4 * std::abs(value)};
}

inline Bounded mish_of(Real x) {
  if (x < -10000) return {-0.0L, 0};
  const Real value = x > 100 ? x : x * std::tanh(std::log1p(std::exp(x)));
  return {value, kSmooth * std::abs(value)};
}

inline Bounded silu_of(Real x) {
  if (x < -11000) return {std::isinf(x) ? -0.0L : x * std::exp(x), 0};
  const Real value = x / (1 + std::exp(-x));
  return {value, kSmooth * std::abs(value)};
}

inline Bounded softplus_of(Real x) {
  const Real value = x < 0 ? std::log1p(std::exp(x)) : x + std::log1p(std::exp(-x));
  return {value, kSmooth * value};
}

// Applies the attribute "activation" of fused ops to a value that has an error itself. No slope is
// above 1.5.
[[nodiscard]] Bounded activated(const std::string& activation, const Bounded& x);

}  // namespace loci::conformance
