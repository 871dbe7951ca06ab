// Division by a number that is known before a launch; for both sides of it.
#pragma once

#include <cstdint>

namespace loci::cuda {

// Divides what is below 2^63 by a constant of 2 or more: the upper half of a product by `factor`,
// shifted. factor = floor(2^(63 + s) / divisor) + 1 with 2^s >= divisor, and shift = s - 1: so it
// is too large by at most 2^s / divisor, which no dividend makes a whole (Granlund and Montgomery).
struct FastDivision {
  std::uint64_t factor;
  std::uint32_t shift;
};

#ifndef __CUDACC_RTC__  // which takes no declaration of a function of the host
// For a divisor from 2 to 2^63 - 1.
FastDivision fast_division_by(std::int64_t divisor);
#endif

// A divisor from 1 to 2^63 - 1 and, unless it is 1, the division by it.
struct FastDivmod {
  std::int64_t value;
  FastDivision division;
};

#ifndef __CUDACC_RTC__
// Returns the division by an extent; one of 0 has no element whose place would be divided.
FastDivmod fast_divmod_of(std::int64_t extent);
#endif

}  // namespace loci::cuda
