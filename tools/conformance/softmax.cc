#include "tools/conformance/softmax.h"

#include <algorithm>
#include <cmath>

namespace loci::conformance {
namespace {

// Roundoffs of one exp or log: two units in the last place.
constexpr Real kTranscendental = 4;

// Returns x - max. Elements of -infinity are 0 without any error.
Real distance(Real largest, Real value) { return std::isinf(value) ? 0 : largest - value; }

}  // namespace

SoftmaxRow softmax_row(const std::vector<Real>& x) {
  SoftmaxRow row;
  const Real largest = *std::max_element(x.begin(), x.end());
  const auto count = static_cast<Real>(x.size());
  Real sum = 0;
  for (const Real value : x) sum += std::exp(value - largest);
  Real sum_error = count + kTranscendental;
  for (const Real value : x) {
    row.values.push_back(std::exp(value - largest) / sum);
    sum_error += row.values.back() * distance(largest, value);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real exp_error = distance(largest, x[i]) + kTranscendental;
    row.slack.push_back(row.values[i] * (exp_error + sum_error + 2));
  }
  row.log_sum = std::log(sum) + largest;
  row.log_sum_slack = sum_error + kTranscendental * std::abs(std::log(sum)) +
                      std::abs(row.log_sum) + std::abs(largest);
  return row;
}

}  // namespace loci::conformance
