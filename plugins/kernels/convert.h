// Conversion between element types.
#pragma once

#include <limits>
#include <loci/plugin/dtype_visit.hpp>
#include <type_traits>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

// Floating to integer: towards zero, to the nearest limit if it does not fit, NaN to 0. To bool: by
// != 0. Integer to integer: modulo 2^n. To a floating type: rounded to nearest even.
template <class Out, class In>
LOCI_INLINE inline Out convert(In value) {
  if constexpr (std::is_same_v<Out, In>) {
    return value;
  } else if constexpr (std::is_same_v<Out, bool>) {
    return static_cast<sdk::compute_t<In>>(value) != 0;
  } else if constexpr (sdk::is_half<Out>) {
    // A long integer does not fit a float: it would be rounded twice.
    using Wide = std::conditional_t<
        std::is_same_v<In, double> || (std::is_integral_v<In> && sizeof(In) >= 4), double, float>;
    return Out(static_cast<Wide>(value));
  } else if constexpr (std::is_integral_v<Out> && sdk::is_float<In>) {
    using C = sdk::compute_t<In>;
    const auto real = static_cast<C>(value);
    // The upper limit may round up, to a power of two that is just out of range.
    constexpr auto kLow = static_cast<C>(std::numeric_limits<Out>::min());
    constexpr auto kHigh = static_cast<C>(std::numeric_limits<Out>::max());
    if (real >= kHigh) return std::numeric_limits<Out>::max();
    if (real <= kLow) return std::numeric_limits<Out>::min();
    return real == real ? static_cast<Out>(real) : Out{0};
  } else {
    return static_cast<Out>(value);
  }
}

}  // namespace loci::kernels
