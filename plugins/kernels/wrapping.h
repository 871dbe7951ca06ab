// Integer arithmetic modulo 2^n.
#pragma once

#include <type_traits>

namespace loci::kernels {

// At least 32 bits wide and unsigned, so that overflow wraps and the narrow types do not get
// promoted to int.
template <class T>
using wrapping_t = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

namespace detail {

template <bool condition, class T>
constexpr auto unsigned_if() {
  if constexpr (condition && std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return std::make_unsigned<T>();
  } else {
    return std::type_identity<T>();
  }
}

}  // namespace detail

// T, an integer as unsigned if the condition holds: that the sign makes no difference to the bits
// of a result, so that half of the loops do for all.
template <bool condition, class T>
using unsigned_if_t = typename decltype(detail::unsigned_if<condition, T>())::type;

// An operation whose member says that it ignores the sign.
template <class Op>
concept IgnoresSign = requires {
  Op::kIgnoresSign;
};

}  // namespace loci::kernels
