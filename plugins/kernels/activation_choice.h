// The function of an activation that is known when a kernel is launched, for loops that are
// compiled for each.
#pragma once

#include <loci/plugin/activation.hpp>

#include "plugins/kernels/elementwise_functions.h"

namespace loci::kernels {

using sdk::Activation;

struct Identity : Straight<Identity> {
  template <class C>
  LOCI_INLINE static void apply(C& /*x*/) {}
};

// visit(Function()) of the activation.
template <class Visit>
LOCI_INLINE inline auto visit_activation(Activation activation, const Visit& visit) {
  switch (activation) {
    case Activation::kNone: return visit(Identity());
#define LOCI_CASE(op, Function) \
  case Activation::k##Function: return visit(Function());
      LOCI_ACTIVATIONS(LOCI_CASE)
#undef LOCI_CASE
  }
  return visit(Identity());
}

// Those that are not straight take many registers, and are a loop of their own, over what is in the
// cache yet: activate().
inline bool is_smooth(Activation activation) {
  return visit_activation(
      activation, [](auto function) LOCI_INLINE { return !is_straight<decltype(function)>; });
}

// visit(Function()) of a straight one; of a smooth one visit(Identity()). The body of `visit` is
// there once for each straight function, not for each activation.
template <class Visit>
LOCI_INLINE inline void visit_straight(Activation activation, const Visit& visit) {
  switch (activation) {
    case Activation::kNone: break;
#define LOCI_CASE(op, Function)                                    \
  case Activation::k##Function:                                    \
    if constexpr (is_straight<Function>) return visit(Function()); \
    break;
      LOCI_ACTIVATIONS(LOCI_CASE)
#undef LOCI_CASE
  }
  visit(Identity());
}

}  // namespace loci::kernels
