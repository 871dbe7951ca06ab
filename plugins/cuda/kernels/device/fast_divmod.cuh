// Division by a constant of the launch.
#pragma once

#include <cstdint>

#include "kernels/launch/fast_divmod.h"

namespace loci::cuda {

__device__ inline std::int64_t quotient(std::int64_t dividend, const FastDivision& by) {
  return static_cast<std::int64_t>(__umul64hi(static_cast<std::uint64_t>(dividend), by.factor) >>
                                   by.shift);
}

__device__ inline std::int64_t quotient(std::int64_t dividend, const FastDivmod& by) {
  return by.value == 1 ? dividend : quotient(dividend, by.division);
}

}  // namespace loci::cuda
