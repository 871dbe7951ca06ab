// The types that registers, variables and instructions of PTX have.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace loci::cuda_double {

enum class ScalarType : std::uint8_t {
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kTf32,
  kF32,
  kF64,
};

// Finds a type by its name without the dot.
[[nodiscard]] std::optional<ScalarType> scalar_type(std::string_view name);
[[nodiscard]] std::string_view type_name(ScalarType type);
// In bytes; of a predicate 1.
[[nodiscard]] std::uint32_t type_bytes(ScalarType type);
[[nodiscard]] bool is_signed(ScalarType type);
[[nodiscard]] bool is_integer(ScalarType type);  // .u and .s, and .b too
[[nodiscard]] bool is_float(ScalarType type);    // halves and pairs too

}  // namespace loci::cuda_double
