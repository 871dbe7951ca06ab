// Constants as elements of a dtype.
#pragma once

#include <cmath>
#include <limits>
#include <loci/plugin/dtype_visit.hpp>
#include <type_traits>

namespace loci::cuda {

// Floating to integer: towards zero, to the nearest limit if it does not fit, NaN to 0. To bool: by
// != 0. Integer to integer: modulo 2^n. To a floating type: rounded to nearest even.
template <class Out, class In>
Out convert(In value) {
  if constexpr (std::is_same_v<Out, In>) {
    return value;
  } else if constexpr (std::is_same_v<Out, bool>) {
    return static_cast<sdk::compute_t<In>>(value) != 0;
  } else if constexpr (sdk::is_half<Out>) {
    // float64 has all integers that a half can tell apart.
    return Out(static_cast<double>(value));
  } else if constexpr (std::is_integral_v<Out> && sdk::is_float<In>) {
    const auto real = static_cast<sdk::compute_t<In>>(value);
    using C = sdk::compute_t<In>;
    // The upper limit may round up, to a power of two that is just out of range.
    if (real >= static_cast<C>(std::numeric_limits<Out>::max())) {
      return std::numeric_limits<Out>::max();
    }
    if (real <= static_cast<C>(std::numeric_limits<Out>::min())) {
      return std::numeric_limits<Out>::min();
    }
    return std::isnan(real) ? Out{0} : static_cast<Out>(real);
  } else {
    return static_cast<Out>(value);
  }
}

}  // namespace loci::cuda
