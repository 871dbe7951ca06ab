// The largest element of a vector, and the sum of its powers.
#pragma once

#include "kernels/axis_vectors.cuh"
#include "kernels/limits.cuh"
#include "kernels/sum_type.cuh"

namespace loci::cuda {

template <class T>
struct RowSum {
  computed_t<T> max;
  sum_t<T> sum;  // of exp(x - max)
};

// NaN is passed over in the maximum and shows up in the sum.
template <class T, class Elements>
__device__ RowSum<T> row_sum(const Elements& elements) {
  auto max = kLowest<computed_t<T>>;
  elements.each([&](const auto& x, std::int64_t) { max = Larger::apply(x.of[0], max); });
  max = elements.template fold<Larger>(max);
  sum_t<T> sum = 0;
  elements.each([&](const auto& x, std::int64_t) { sum += exp(x.of[0] - max); });
  return {max, elements.template fold<Plus>(sum)};
}

}  // namespace loci::cuda
