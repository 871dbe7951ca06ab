#include "tools/conformance/activations.h"

#include <loci/plugin/elementwise_functions.hpp>

namespace loci::conformance {

Bounded activated(const std::string& activation, const Bounded& x) {
  constexpr Real kSteepest = 1.5L;
  const auto after = [&](const Bounded& smooth) {
    return Bounded{smooth.value, smooth.slack + kSteepest * x.slack};
  };
#define LOCI_ACTIVATED(op, Function) \
  if (activation == #op) return after(op##_of(x.value));
  LOCI_ACTIVATIONS(LOCI_ACTIVATED)
#undef LOCI_ACTIVATED
  return x;
}

}  // namespace loci::conformance
