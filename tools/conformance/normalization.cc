#include "tools/conformance/normalization.h"

#include <cmath>

namespace loci::conformance {

GroupMoments moments_of(const std::vector<Real>& x) {
  GroupMoments moments;
  if (x.empty()) return moments;
  const auto n = static_cast<Real>(x.size());
  Real magnitude = 0;
  for (const Real value : x) {
    moments.mean += value / n;
    magnitude += std::abs(value) / n;
  }
  moments.mean_error = n * magnitude;
  for (const Real value : x) {
    const Real distance = value - moments.mean;
    moments.variance += distance * distance / n;
    // Each distance is off by that of the mean and by its own rounding. To first order the mean's
    // error cancels, because distances sum up to 0; its square stays, which is of second order.
    moments.variance_error += 2 * distance * distance / n;
  }
  moments.variance_error += (n + 1) * moments.variance;
  return moments;
}

InverseDeviation inverse_deviation(const GroupMoments& moments, Real epsilon) {
  const Real sum = moments.variance + epsilon;
  const Real value = 1 / std::sqrt(sum);
  // Half of the relative error of the sum, and the roundings of sum, epsilon, root and quotient.
  const Real relative = sum > 0 ? moments.variance_error / sum / 2 : Real{0};
  return {value, value * (relative + 4)};
}

NormalizedElement normalized_element(Real x, const GroupMoments& moments,
                                     const InverseDeviation& inv_std, Real scale, Real bias) {
  const Real distance = x - moments.mean;
  const Real normal = distance * inv_std.value * scale;
  const Real value = normal + bias;
  const Real from_mean = (moments.mean_error + std::abs(distance)) * inv_std.value;
  const Real from_deviation = std::abs(distance) * inv_std.error;
  return {value,
          std::abs(scale) * (from_mean + from_deviation) + 3 * std::abs(normal) + std::abs(value)};
}

GroupGradient group_gradient(const GroupInputs& group) {
  const std::size_t count = group.x.size();
  const auto n = static_cast<Real>(count);
  GroupGradient result;
  std::vector<Real> g;
  Real level = 0;
  Real level_magnitude = 0;
  Real slope = 0;
  Real slope_magnitude = 0;
  for (std::size_t i = 0; i < count; ++i) {
    g.push_back(group.y_grad[i] * group.scale[i]);
    const Real h = (group.x[i] - group.mean) * group.inv_std;
    result.scale_terms.push_back(group.y_grad[i] * h);
    // A difference and two products.
    result.scale_errors.push_back(3 * std::abs(result.scale_terms.back()));
    level += g[i] / n;
    level_magnitude += std::abs(g[i]) / n;
    slope += g[i] * h / n;
    slope_magnitude += std::abs(g[i] * h) / n;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Real h = (group.x[i] - group.mean) * group.inv_std;
    if (group.fixed) {
      result.x_grad.push_back(group.inv_std * g[i]);
      result.error.push_back(3 * std::abs(result.x_grad.back()));
      continue;
    }
    result.x_grad.push_back(group.inv_std * (g[i] - level - h * slope));
    // Sums of n terms with up to four roundings each; then those of the expression itself.
    result.error.push_back(group.inv_std * (8 * std::abs(g[i]) + (n + 8) * level_magnitude +
                                            std::abs(h) * (n + 12) * slope_magnitude));
  }
  return result;
}

}  // namespace loci::conformance
