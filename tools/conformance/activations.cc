#include "tools/conformance/activations.h"

namespace loci::conformance {

Bounded activated(const std::string& activation, const Bounded& x) {
  constexpr Real kSteepest = 1.5L;
  const auto after = [&](const Bounded& smooth) {
    return Bounded{smooth.value, smooth.slack + kSteepest * x.slack};
  };
  if (activation == "relu") return {std::max(x.value, Real{0}), x.slack};
  if (activation == "sigmoid") return after(sigmoid_of(x.value));
  if (activation == "tanh") return after(tanh_of(x.value));
  if (activation == "gelu") return after(gelu_of(x.value));
  if (activation == "gelu_tanh") return after(gelu_tanh_of(x.value));
  if (activation == "hard_sigmoid") return after(hard_sigmoid_of(x.value));
  if (activation == "hard_swish") return after(hard_swish_of(x.value));
  return x;
}

}  // namespace loci::conformance
