// The least and the largest value of a type.
#pragma once

#include <limits>
#include <type_traits>

namespace loci::cuda {

template <class C>
inline constexpr C kLowest = std::is_integral_v<C> ? std::numeric_limits<C>::min()
                                                   : -std::numeric_limits<C>::infinity();
template <class C>
inline constexpr C kHighest = std::is_integral_v<C> ? std::numeric_limits<C>::max()
                                                    : std::numeric_limits<C>::infinity();

}  // namespace loci::cuda
