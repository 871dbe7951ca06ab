/* Conversions of the 16-bit floating formats, for host and plugins alike: round to nearest even,
 * infinities and NaN kept (a NaN stays quiet). IEEE 754-2008 binary16; bfloat16 is the upper half
 * of binary32. Without branches, so that compilers make vectors of them. */
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
  const uint32_t rounded = bits + 0x7FFFu + ((bits >> 16) & 1u);
  return (uint16_t)(((bits & 0x7FFFFFFFu) > 0x7F800000u ? bits | 0x400000u : rounded) >> 16);
}

static inline float loci_f16_to_f32(uint16_t half) {
  const uint32_t magnitude = (uint32_t)(half & 0x7FFFu) << 13;
  const uint32_t normal = magnitude + (112u << 23);
  /* Zero or subnormal: as the fraction of 2^-14, from which that is subtracted again. */
  const float fraction = loci_f32_from_bits(magnitude + (113u << 23)) - 6.103515625e-5f;
  const uint32_t finite = magnitude < (1u << 23) ? loci_f32_to_bits(fraction) : normal;
  const uint32_t special = magnitude | 0x7F800000u | (magnitude > 0x0F800000u ? 0x400000u : 0u);
  const uint32_t bits = magnitude >= 0x0F800000u ? special : finite;
  return loci_f32_from_bits(bits | (uint32_t)(half & 0x8000u) << 16);
}

static inline uint16_t loci_f32_to_f16(float value) {
  const uint32_t bits = loci_f32_to_bits(value);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const uint32_t normal = (magnitude + 0xFFFu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  /* Below the smallest normal: adding 0.5 aligns the value to units of 2^-24 and rounds it. */
  const float aligned = loci_f32_from_bits(magnitude) + 0.5f;
  const uint32_t subnormal = loci_f32_to_bits(aligned) - 0x3F000000u;
  const uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
  const uint32_t special = magnitude > 0x7F800000u ? 0x7E00u : 0x7C00u;
  /* From 65520 on a value rounds to infinity. */
  const uint32_t result = magnitude >= 0x477FF000u ? special : finite;
  return (uint16_t)(result | ((bits >> 16) & 0x8000u));
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LOCI_ABI_HALF_H_ */
