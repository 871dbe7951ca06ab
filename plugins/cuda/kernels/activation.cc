#include "kernels/activation.h"

#include <array>
#include <loci/plugin/error.hpp>
#include <string>
#include <utility>

namespace loci::cuda {

Activation read_activation(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Activation>, 8> kNames{
      {{"none", Activation::kNone},
       {"relu", Activation::kRelu},
       {"sigmoid", Activation::kSigmoid},
       {"tanh", Activation::kTanh},
       {"gelu", Activation::kGelu},
       {"gelu_tanh", Activation::kGeluTanh},
       {"hard_sigmoid", Activation::kHardSigmoid},
       {"hard_swish", Activation::kHardSwish}}};
  for (const auto& [known, activation] : kNames) {
    if (known == name) return activation;
  }
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "the plugin knows no activation '" + std::string(name) +
                                              "'; update it, or the core");
}

}  // namespace loci::cuda
