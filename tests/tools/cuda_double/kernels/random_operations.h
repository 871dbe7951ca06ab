// The functions of random_kernels.py are made of these: the same on the host and on a device.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define LOCI_EVERYWHERE __device__
#else
#define LOCI_EVERYWHERE
#endif

constexpr std::uint32_t kInputs = 97;
constexpr std::uint32_t kOutputs = 11;

LOCI_EVERYWHERE inline float as_float(std::uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
// All NaN have the same bits: which one an operation gives is not agreed on.
LOCI_EVERYWHERE inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return value == value ? bits : 0x7fc00000u;
}
LOCI_EVERYWHERE inline std::uint32_t truncated(float value) {
  return value > -1e9f && value < 1e9f
             ? static_cast<std::uint32_t>(static_cast<std::int32_t>(value))
             : 77u;
}
LOCI_EVERYWHERE inline std::uint32_t divided(std::uint32_t a, std::uint32_t b) {
  return b == 0u ? 1u : a / b;
}
LOCI_EVERYWHERE inline std::uint32_t remainder(std::uint32_t a, std::uint32_t b) {
  return b == 0u ? 2u : a % b;
}
LOCI_EVERYWHERE inline bool signed_less(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
}
LOCI_EVERYWHERE inline std::uint32_t high_product(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
}
LOCI_EVERYWHERE inline std::uint32_t signed_shift(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(a) >> (b & 31u));
}
LOCI_EVERYWHERE inline std::uint32_t rotated(std::uint32_t a, std::uint32_t b) {
  return a << (b & 31u) | a >> ((32u - (b & 31u)) & 31u);
}
LOCI_EVERYWHERE inline std::uint32_t bytes_swapped(std::uint32_t a) {
  return a >> 24 | (a >> 8 & 0xff00u) | (a << 8 & 0xff0000u) | a << 24;
}
LOCI_EVERYWHERE inline std::uint32_t low_bits(std::uint32_t a) {
  return static_cast<std::uint8_t>(a) + static_cast<std::uint16_t>(a >> 3);
}
