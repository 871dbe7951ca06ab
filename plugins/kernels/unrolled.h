// Loops of a few steps that are written out whole, so that arrays they go through are registers.
#pragma once

#include <type_traits>
#include <utility>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

namespace detail {

template <class Body, int... numbers>
LOCI_INLINE inline void for_each_of(std::integer_sequence<int, numbers...> /*all*/,
                                    const Body& body) {
  (body(std::integral_constant<int, numbers>()), ...);
}

}  // namespace detail

// Calls body(std::integral_constant) for each number below `count`, one after the other. Loops that
// the compiler leaves as they are would keep in memory what they go through.
template <int count, class Body>
LOCI_INLINE inline void unrolled(const Body& body) {
  detail::for_each_of(std::make_integer_sequence<int, count>(), body);
}

}  // namespace loci::kernels
