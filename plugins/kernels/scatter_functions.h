// Functions that put a scattered update into the element that is there, by name of the reduction.
#pragma once

#include <string_view>
#include <type_traits>

#include "plugins/kernels/extremes.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/wrapping.h"

namespace loci::kernels {

struct Replace {
  template <class T>
  LOCI_INLINE static T apply(T /*there*/, T update) {
    return update;
  }
};

struct AddTo {
  static constexpr bool kIgnoresSign = true;
  template <class T>
  LOCI_INLINE static T apply(T there, T update) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrapping_t<T>>(there) + static_cast<wrapping_t<T>>(update));
    } else {
      return there + update;
    }
  }
};

struct MultiplyTo {
  static constexpr bool kIgnoresSign = true;
  template <class T>
  LOCI_INLINE static T apply(T there, T update) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrapping_t<T>>(there) * static_cast<wrapping_t<T>>(update));
    } else {
      return there * update;
    }
  }
};

// NaN wins over everything.
struct LargerOf {
  template <class T>
  LOCI_INLINE static T apply(T there, T update) {
    return Max<T>::apply(there, update);
  }
};

struct SmallerOf {
  template <class T>
  LOCI_INLINE static T apply(T there, T update) {
    return Min<T>::apply(there, update);
  }
};

// An unsigned type of so many bytes, for elements that are only moved.
template <class Visit>
void visit_bits(std::uint64_t bytes, const Visit& visit) {
  switch (bytes) {
    case 1: return visit(sdk::Tag<std::uint8_t>());
    case 2: return visit(sdk::Tag<std::uint16_t>());
    case 4: return visit(sdk::Tag<std::uint32_t>());
    default: return visit(sdk::Tag<std::uint64_t>());
  }
}

// Calls visit(Tag<T>(), function) with what elements of the dtype are reduced as: float instead of
// halves, which the caller converts, and integers without a sign where it makes no difference.
template <class Visit>
void visit_scatter(std::string_view reduction, loci_dtype dtype, const Visit& visit) {
  const auto visit_by = [&](auto function) {
    using Function = decltype(function);
    sdk::visit_numbers(dtype, [&](auto tag) {
      using C = sdk::compute_t<typename decltype(tag)::type>;
      visit(sdk::Tag<unsigned_if_t<IgnoresSign<Function>, C>>(), function);
    });
  };
  if (reduction == "add") return visit_by(AddTo());
  if (reduction == "mul") return visit_by(MultiplyTo());
  if (reduction == "max") return visit_by(LargerOf());
  if (reduction == "min") return visit_by(SmallerOf());
  visit_bits(sdk::dtype_bytes(dtype), [&](auto tag) { visit(tag, Replace()); });
}

// Says that elements have to be converted for that.
inline bool widens_halves(std::string_view reduction, loci_dtype dtype) {
  return reduction != "none" && (dtype == LOCI_DTYPE_F16 || dtype == LOCI_DTYPE_BF16);
}

}  // namespace loci::kernels
