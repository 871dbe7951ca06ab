#include "tools/conformance/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace loci::conformance {
namespace {

// Keeps rounding of the bounds themselves from deciding.
constexpr Real kMargin = 1.001L;

std::string index_text(const Shape& shape, std::size_t offset) {
  return Shape(index_of(shape, offset)).to_string();
}

std::string number(DType dtype, Real value) {
  if (!is_floating(dtype)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, precision(dtype).digits * 3 / 10 + 2);
}

// The rounded value itself. The reference's own rounding may put a float64 on the wrong side of the
// middle between two values; Real has digits to spare for the other dtypes.
bool is_rounded(DType dtype, Real value, Real got) {
  if (got == round_to(dtype, value)) return true;
  if (dtype != kFloat64) return false;
  const Real error = std::abs(value) * std::numeric_limits<Real>::epsilon();
  return got == round_to(dtype, value + error) || got == round_to(dtype, value - error);
}

// Share of its bound that the element uses.
Real share(const Expected& expected, std::size_t i, Real got) {
  constexpr Real kWrong = std::numeric_limits<Real>::infinity();
  const Real want = round_to(expected.dtype, expected.values[i]);
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  if (std::isnan(got) || std::isnan(want)) return kWrong;
  const Real bound = bound_of(expected, i);
  if (bound == 0) return is_rounded(expected.dtype, expected.values[i], got) ? 0 : kWrong;
  if (std::isinf(got) || std::isinf(want)) {
    // The value may be so close to the largest one that only one of both overflows.
    const Real nearest = expected.values[i] + std::copysign(bound, got);
    return std::isinf(got) && round_to(expected.dtype, nearest) == got ? Real{1} : kWrong;
  }
  return std::abs(got - expected.values[i]) / bound;
}

std::string wrong_elements(const Array& got, const Expected& expected, std::size_t first,
                           std::size_t count) {
  const Real bound = bound_of(expected, first);
  return fmt::format(
      "{} element {} at {}: got {}, want {}, bound {}; {} of {} elements are wrong", describe(got),
      first, index_text(got.shape, first), number(got.dtype, got.values[first]),
      number(got.dtype, round_to(got.dtype, expected.values[first])),
      bound == 0 ? std::string("0 (exact)") : fmt::format("{:.3g}", bound), count, got.size());
}

}  // namespace

void Verdict::add(const Verdict& other) {
  if (good()) message = other.message;
  worst = std::max(worst, other.worst);
}

Real bound_of(const Expected& expected, std::size_t i) {
  if (expected.slack.empty()) return 0;
  const Precision storage = precision(expected.dtype);
  const Real computing = compute_precision(expected.dtype).roundoff() * expected.slack[i];
  const Real rounding = storage.roundoff() * (std::abs(expected.values[i]) + computing);
  return (computing + rounding) * kMargin + storage.smallest();
}

Verdict check(const Array& got, const Expected& expected) {
  if (got.dtype != expected.dtype || got.shape != expected.shape) {
    return {fmt::format("got {}, want {}", describe(got), describe(expected)), 0};
  }
  Verdict verdict;
  std::size_t first = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Real used = share(expected, i, got.values[i]);
    verdict.worst = std::max(verdict.worst, used);
    if (used > 1 && wrong++ == 0) first = i;
  }
  if (wrong > 0) verdict.message = wrong_elements(got, expected, first, wrong);
  return verdict;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  const Tensor x = a.to(Place());
  const Tensor y = b.to(Place());
  return x.bytes() == 0 || std::memcmp(x.raw_data(), y.raw_data(), x.bytes()) == 0;
}

}  // namespace loci::conformance
