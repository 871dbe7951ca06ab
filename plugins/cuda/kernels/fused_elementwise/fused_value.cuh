// Values of any dtype in 8 bytes.
#pragma once

#include "kernels/fused_elementwise/fused_program.h"
#include "kernels/fused_elementwise/held_value.cuh"

namespace loci::cuda {

template <class T>
struct Tag {
  using type = T;
};

template <class Visitor>
__device__ auto visit_type(FusedType type, const Visitor& visitor) {
  switch (type) {
    case FusedType::kF16: return visitor(Tag<__half>());
    case FusedType::kBf16: return visitor(Tag<__nv_bfloat16>());
    case FusedType::kF32: return visitor(Tag<float>());
    case FusedType::kF64: return visitor(Tag<double>());
    case FusedType::kI8: return visitor(Tag<std::int8_t>());
    case FusedType::kI16: return visitor(Tag<std::int16_t>());
    case FusedType::kI32: return visitor(Tag<std::int32_t>());
    case FusedType::kI64: return visitor(Tag<std::int64_t>());
    case FusedType::kU16: return visitor(Tag<std::uint16_t>());
    case FusedType::kU32: return visitor(Tag<std::uint32_t>());
    case FusedType::kU64: return visitor(Tag<std::uint64_t>());
    default: return visitor(Tag<std::uint8_t>());  // of bool too
  }
}

// The type that values of `type` are held as.
template <class Visitor>
__device__ auto visit_held(FusedType type, const Visitor& visitor) {
  if (type <= FusedType::kBool) return visitor(Tag<std::uint64_t>());
  if (type <= FusedType::kF32) return visitor(Tag<float>());
  if (type == FusedType::kF64) return visitor(Tag<double>());
  if (type <= FusedType::kI64) return visitor(Tag<std::int64_t>());
  return visitor(Tag<std::uint64_t>());
}

__device__ inline Slot load_slot(FusedType type, const void* from, std::int64_t at) {
  return visit_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return slot_of(static_cast<held_t<T>>(Element<T>::widen(static_cast<const T*>(from)[at])));
  });
}

__device__ inline void store_slot(FusedType type, void* to, std::int64_t at, Slot slot) {
  visit_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto value = held<held_t<T>>(slot);
    if constexpr (kIsFloat<T>) {
      static_cast<T*>(to)[at] = Element<T>::narrow(value);
    } else {
      static_cast<T*>(to)[at] = static_cast<T>(value);
    }
    return 0;
  });
}

// A value as `type` has it, after a step or by a cast.
template <class C>
__device__ Slot converted(FusedType type, C value, bool is_cast = false) {
  if (type == FusedType::kBool) return slot_of(static_cast<std::uint64_t>(value != 0));
  return visit_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return slot_of(is_cast ? cast_to<T>(value) : rounded<T>(value));
  });
}

}  // namespace loci::cuda
