// From a type of PTX to one of C++, once, when code is translated.
#pragma once

#include <cstdint>

#include "tools/cuda_double/ptx/family.h"
#include "tools/cuda_double/ptx/instruction.h"
#include "tools/cuda_double/ptx/run/half.h"
#include "tools/cuda_double/ptx/scalar_type.h"

namespace loci::cuda_double {

template <class T>
struct TypeTag {
  using Type = T;
};

// Calls `visit` with the tag of an integer type, untyped ones as unsigned. NULL for other types.
template <class Visit>
Handler visit_integer(ScalarType type, const Visit& visit) {
  switch (type) {
    case ScalarType::kB8:
    case ScalarType::kU8: return visit(TypeTag<std::uint8_t>());
    case ScalarType::kB16:
    case ScalarType::kU16: return visit(TypeTag<std::uint16_t>());
    case ScalarType::kB32:
    case ScalarType::kU32: return visit(TypeTag<std::uint32_t>());
    case ScalarType::kB64:
    case ScalarType::kU64: return visit(TypeTag<std::uint64_t>());
    case ScalarType::kS8: return visit(TypeTag<std::int8_t>());
    case ScalarType::kS16: return visit(TypeTag<std::int16_t>());
    case ScalarType::kS32: return visit(TypeTag<std::int32_t>());
    case ScalarType::kS64: return visit(TypeTag<std::int64_t>());
    default: return nullptr;
  }
}

// Calls `visit` with the tag of a floating type, none for pairs. NULL for other types.
template <class Visit>
Handler visit_float(ScalarType type, const Visit& visit) {
  switch (type) {
    case ScalarType::kF16: return visit(TypeTag<Half>());
    case ScalarType::kBf16: return visit(TypeTag<Bf16>());
    case ScalarType::kF32: return visit(TypeTag<float>());
    case ScalarType::kF64: return visit(TypeTag<double>());
    default: return nullptr;
  }
}

template <bool kValue>
struct BoolTag {
  static constexpr bool kIs = kValue;
};

// Calls `visit` with the tag of a condition that is known only here.
template <class Visit>
auto visit_bool(bool value, const Visit& visit) {
  return value ? visit(BoolTag<true>()) : visit(BoolTag<false>());
}

// The rounding modifier among .rn, .rz, .rm and .rp; nearest without one.
[[nodiscard]] inline Rounding take_rounding(Form& form) {
  const std::string_view name = form.take_one_of({"rn", "rz", "rm", "rp"});
  if (name == "rz") return Rounding::kZero;
  if (name == "rm") return Rounding::kDown;
  if (name == "rp") return Rounding::kUp;
  return Rounding::kNearest;
}

// The handler, or the error that the form is not there.
[[nodiscard]] inline Handler known(Handler handler, const Form& form) {
  if (handler == nullptr) form.unsupported();
  return handler;
}

}  // namespace loci::cuda_double
