// Activations of vectors, for loops that have their results in registers.
#pragma once

#include "plugins/kernels/epilogue.h"
#include "plugins/kernels/isa.h"

namespace loci::kernels {

// Smooth ones take many registers and are a loop of their own, over what is in the cache yet:
// activate().
constexpr bool is_smooth(Activation activation) {
  switch (activation) {
    case Activation::kNone:
    case Activation::kRelu:
    case Activation::kHardSigmoid:
    case Activation::kHardSwish: return false;
    default: return true;
  }
}

// As activation_functions.h has them; nothing for smooth ones. NaN passes.
template <Activation activation, class V>
LOCI_INLINE inline void apply(V& value) {
  if constexpr (activation == Activation::kRelu) value = value < 0.0F ? V{} : value;
  if constexpr (activation == Activation::kHardSigmoid) {
    const V risen = value + 3.0F;
    const V above = risen < 0.0F ? V{} : risen;
    value = (above > 6.0F ? V{} + 6.0F : above) * static_cast<float>(1.0 / 6);
  }
  if constexpr (activation == Activation::kHardSwish) {
    const V near = value < -3.0F ? V{} - 3.0F : value;  // infinity must not meet 0
    value = near;
    apply<Activation::kHardSigmoid>(value);
    value *= near;
  }
}

}  // namespace loci::kernels
