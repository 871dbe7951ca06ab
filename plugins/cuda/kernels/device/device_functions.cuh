// Functions of float32 that devices have an instruction for, and no exact one; and what the library
// of the device lacks.
#pragma once

#include <cmath>

namespace loci::cuda {

// e^x. The library's of float64 is 0 from -745 down, where the least number is nearer for a while.
template <class C>
__device__ C exponential(C x) {
  const C power = exp(x);
  if constexpr (sizeof(C) == sizeof(double)) {
    constexpr double kNearerToZero = -745.1332191019412;  // log(2^-1075)
    return x <= -745 && x > kNearerToZero ? 0x1p-1074 : power;
  } else {
    return power;
  }
}

// 2^x, within 2 units in the last place; 0 where that is below the normal numbers.
__device__ inline float power_of_two(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

// 1 / x, within a unit in the last place, of what is normal and has a normal reciprocal.
__device__ inline float reciprocal(float x) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// 1 / sqrt(x), within 2 units in the last place, of what is normal.
__device__ inline float reciprocal_root(float x) {
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

}  // namespace loci::cuda
