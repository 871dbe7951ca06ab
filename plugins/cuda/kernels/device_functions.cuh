// Functions of float32 that devices have an instruction for, and no exact one.
#pragma once

namespace loci::cuda {

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
