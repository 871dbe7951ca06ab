// Mean and variance of a vector, and what subtracts a mean without losing it.
#pragma once

#include "kernels/device/axis_vectors.cuh"
#include "kernels/device/sum_type.cuh"

namespace loci::cuda {

template <class Sum>
struct Moments {
  __device__ Sum inv_std(double epsilon) const {
    const Sum square = variance + static_cast<Sum>(epsilon);
    // That of double is as exact as a float can tell, and quicker.
    return std::is_same_v<Sum, double> ? rsqrt(square) : 1 / sqrt(square);
  }
  Sum mean;
  Sum variance;  // of the population: divided by the count
};

// In two passes: the square of a mean is never subtracted. Zeros if there are no elements.
template <class T, class Elements>
__device__ Moments<sum_t<T>> moments_of(const Elements& elements) {
  using Sum = sum_t<T>;
  const auto count = static_cast<Sum>(elements.count() < 1 ? 1 : elements.count());
  Sum sum = 0;
  elements.each([&](const auto& x, std::int64_t) { sum += x.of[0]; });
  const Sum mean = elements.template fold<Plus>(sum) / count;
  Sum squares = 0;
  elements.each([&](const auto& x, std::int64_t) {
    const Sum distance = x.of[0] - mean;
    squares += distance * distance;
  });
  return {mean, elements.template fold<Plus>(squares) / count};
}

// x - mean in C, as exact as the result allows: the part of the mean that C cannot hold is
// subtracted by itself.
template <class C, class Sum>
class Centre {
 public:
  __device__ explicit Centre(Sum mean)
      : high_(static_cast<C>(mean)), low_(static_cast<C>(mean - static_cast<Sum>(high_))) {}
  __device__ C operator()(C x) const { return kIsExact ? x - high_ : (x - high_) - low_; }

 private:
  static constexpr bool kIsExact = std::is_same_v<C, Sum>;
  C high_;
  C low_;
};

}  // namespace loci::cuda
