/* Conversions of the 16-bit floating formats, for host and plugins alike: round to nearest even,
 * infinities and NaN kept (a NaN stays quiet). IEEE 754-2008 binary16; bfloat16 is the upper half
 * of binary32. */
#ifndef LOCI_ABI_HALF_H_
#define LOCI_ABI_HALF_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef union loci_f32_bits {
  float value;
  uint32_t bits;
} loci_f32_bits;

static inline float loci_f32_from_bits(uint32_t bits) {
  loci_f32_bits u;
  u.bits = bits;
  return u.value;
}

static inline uint32_t loci_f32_to_bits(float value) {
  loci_f32_bits u;
  u.value = value;
  return u.bits;
}

static inline float loci_bf16_to_f32(uint16_t half) {
  return loci_f32_from_bits((uint32_t)half << 16);
}

static inline uint16_t loci_f32_to_bf16(float value) {
  const uint32_t bits = loci_f32_to_bits(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return (uint16_t)((bits >> 16) | 0x40u);
  return (uint16_t)((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

static inline float loci_f16_to_f32(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1Fu;
  const uint32_t mantissa = half & 0x3FFu;
  if (exponent == 0) { /* zero or subnormal: mantissa * 2^-24 is exact in binary32 */
    const float magnitude = (float)mantissa * 5.9604644775390625e-8f;
    return loci_f32_from_bits(sign | loci_f32_to_bits(magnitude));
  }
  if (exponent == 31) {
    return loci_f32_from_bits(sign | 0x7F800000u | (mantissa << 13) | (mantissa ? 0x400000u : 0u));
  }
  return loci_f32_from_bits(sign | ((exponent + 112u) << 23) | (mantissa << 13));
}

static inline uint16_t loci_f32_to_f16(float value) {
  const uint32_t bits = loci_f32_to_bits(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return (uint16_t)(sign | 0x7E00u);
  if (magnitude >= 0x477FF000u) return (uint16_t)(sign | 0x7C00u); /* rounds to infinity */
  if (magnitude < 0x38800000u) {
    /* Below the smallest normal: adding 0.5 aligns the value to units of 2^-24 and rounds it. */
    const float aligned = loci_f32_from_bits(magnitude) + 0.5f;
    return (uint16_t)(sign | (loci_f32_to_bits(aligned) - 0x3F000000u));
  }
  {
    const uint32_t rounded = magnitude + 0xFFFu + ((magnitude >> 13) & 1u);
    return (uint16_t)(sign | ((rounded - 0x38000000u) >> 13));
  }
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_HALF_H_ */
