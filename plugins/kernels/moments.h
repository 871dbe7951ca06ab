// Mean and variance, and what subtracts a mean without losing it.
#pragma once

#include <cmath>
#include <cstdint>

#include "plugins/kernels/summation.h"

namespace loci::kernels {

struct Moments {
  double mean = 0;
  double variance = 0;  // of the population: divided by the count

  [[nodiscard]] double inv_std(double epsilon) const { return 1.0 / std::sqrt(variance + epsilon); }
};

// In two passes: the square of a mean is never subtracted. Zeros if there are no elements.
template <class T>
LOCI_INLINE inline double squares_around(double mean, const T* x, std::int64_t count) {
  return sum_terms<double>(count, [=](std::int64_t i) LOCI_INLINE {
    const double distance = static_cast<double>(static_cast<sdk::compute_t<T>>(x[i])) - mean;
    return distance * distance;
  });
}

template <class T>
LOCI_INLINE inline Moments moments_of(const T* x, std::int64_t count) {
  if (count == 0) return {};
  const auto n = static_cast<double>(count);
  const double mean = sum_run(x, count) / n;
  return {mean, squares_around(mean, x, count) / n};
}

// x - mean in C, as exact as the result allows: the part of the mean that C cannot hold is
// subtracted by itself.
template <class C>
class Centre {
 public:
  LOCI_INLINE explicit Centre(double mean)
      : high_(static_cast<C>(mean)), low_(static_cast<C>(mean - static_cast<double>(high_))) {}
  LOCI_INLINE C operator()(C x) const { return (x - high_) - low_; }

 private:
  C high_;
  C low_;
};

}  // namespace loci::kernels
