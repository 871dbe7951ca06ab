#include "tools/conformance/scatter.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loci::conformance {
namespace {

Real larger(Real x, Real y) { return std::isnan(x) || x > y ? x : y; }
Real smaller(Real x, Real y) { return std::isnan(x) || x < y ? x : y; }

Real reduced(const std::string& reduction, Real there, Real update) {
  if (reduction == "add") return there + update;
  if (reduction == "mul") return there * update;
  if (reduction == "max") return larger(there, update);
  if (reduction == "min") return smaller(there, update);
  return update;
}

}  // namespace

Expected scattered(const Array& x, const Array& updates, const std::string& reduction,
                   const Destination& to) {
  const bool rounds = is_floating(x.dtype) && (reduction == "add" || reduction == "mul");
  Expected out = rounds ? Expected::bounded(x.dtype, x.shape) : Expected::exact(x.dtype, x.shape);
  out.values = x.values;
  std::vector<Real> terms(out.size());
  std::vector<Real> magnitudes(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) magnitudes[i] = std::abs(x.values[i]);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const std::size_t at = to(i);
    out.values[at] = reduced(reduction, out.values[at], updates.values[i]);
    // Integers wrap, so that the reference's digits do for any number of factors.
    if (!is_floating(x.dtype)) out.values[at] = round_to(x.dtype, out.values[at]);
    magnitudes[at] += std::abs(updates.values[i]);
    terms[at] += 1;
  }
  for (std::size_t i = 0; rounds && i < out.size(); ++i) {
    const Real slack = terms[i] * (reduction == "add" ? magnitudes[i] : std::abs(out.values[i]));
    // Any order gives what is infinite, or no number.
    out.slack[i] = std::isfinite(slack) ? slack : 0;
  }
  return out;
}

Expected gradient_of_last(const Array& out_grad, const Shape& updates, const Destination& to) {
  Expected gradient = Expected::exact(out_grad.dtype, updates);
  std::vector<bool> is_taken(out_grad.size());
  for (std::size_t i = gradient.size(); i-- > 0;) {
    const std::size_t from = to(i);
    if (!is_taken[from]) gradient.values[i] = out_grad.values[from];
    is_taken[from] = true;
  }
  return gradient;
}

Generator scatter_values(DType dtype, const std::string& reduction) {
  if (dtype == kBool) return integers(0, 1);
  if (!is_floating(dtype)) return integers(is_unsigned(dtype) ? 0 : -7, 7);
  return reduction == "mul" ? uniform(0.5, 1.5) : uniform(-2, 2);
}

std::vector<std::size_t> differentiable(const std::string& reduction) {
  if (reduction == "mul") return {0};
  return {0, 2};
}

Generator positions(std::int64_t extent) {
  return extent == 0 ? integers(0, 0) : integers(-extent, extent - 1);
}

std::int64_t position_at(const Array& index, std::size_t offset, std::int64_t extent) {
  const auto position = static_cast<std::int64_t>(index.values[offset]);
  return position < 0 ? position + extent : position;
}

}  // namespace loci::conformance
