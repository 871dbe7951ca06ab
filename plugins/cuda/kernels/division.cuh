// Division by a constant of the launch.
#pragma once

#include <cstdint>

#include "kernels/division.h"

namespace loci::cuda {

__device__ inline std::int64_t quotient(std::int64_t dividend, const Division& by) {
  return static_cast<std::int64_t>(__umul64hi(static_cast<std::uint64_t>(dividend), by.factor) >>
                                   by.shift);
}

__device__ inline std::int64_t quotient(std::int64_t dividend, const Divisor& by) {
  return by.value == 1 ? dividend : quotient(dividend, by.division);
}

}  // namespace loci::cuda
