// Instances of a kernel for dtypes: LOCI_FLOATS(MACRO, more...) is MACRO(f32, float, more...) and
// so on.
#pragma once

#include <cstdint>

#include "kernels/device/elements.cuh"

#define LOCI_FLOATS(INSTANCE, ...)   \
  INSTANCE(f32, float, __VA_ARGS__)  \
  INSTANCE(f64, double, __VA_ARGS__) \
  INSTANCE(f16, __half, __VA_ARGS__) \
  INSTANCE(bf16, __nv_bfloat16, __VA_ARGS__)
#define LOCI_SIGNED(INSTANCE, ...)         \
  INSTANCE(i8, std::int8_t, __VA_ARGS__)   \
  INSTANCE(i16, std::int16_t, __VA_ARGS__) \
  INSTANCE(i32, std::int32_t, __VA_ARGS__) \
  INSTANCE(i64, std::int64_t, __VA_ARGS__)
#define LOCI_UNSIGNED(INSTANCE, ...)        \
  INSTANCE(u8, std::uint8_t, __VA_ARGS__)   \
  INSTANCE(u16, std::uint16_t, __VA_ARGS__) \
  INSTANCE(u32, std::uint32_t, __VA_ARGS__) \
  INSTANCE(u64, std::uint64_t, __VA_ARGS__)
#define LOCI_INTEGERS(INSTANCE, ...) \
  LOCI_SIGNED(INSTANCE, __VA_ARGS__) \
  LOCI_UNSIGNED(INSTANCE, __VA_ARGS__)
#define LOCI_NUMBERS(INSTANCE, ...)  \
  LOCI_FLOATS(INSTANCE, __VA_ARGS__) \
  LOCI_INTEGERS(INSTANCE, __VA_ARGS__)
// Where the sign makes no difference to the bits of a result: an integer is taken for unsigned.
#define LOCI_BITS(INSTANCE, ...)     \
  LOCI_FLOATS(INSTANCE, __VA_ARGS__) \
  LOCI_UNSIGNED(INSTANCE, __VA_ARGS__)
