// The activation that a fused operator ends with: its attribute of that name.
#pragma once

#include <cstdint>
#include <loci/plugin/error.hpp>
#include <string>
#include <string_view>

namespace loci::sdk {

enum class Activation : std::uint8_t {
  kNone,
  kRelu,
  kSigmoid,
  kTanh,
  kGelu,
  kGeluTanh,
  kHardSigmoid,
  kHardSwish
};

// Throws Error(LOCI_CODE_UNSUPPORTED) for one that is not known.
[[nodiscard]] inline Activation read_activation(std::string_view name) {
  if (name == "none") return Activation::kNone;
  if (name == "relu") return Activation::kRelu;
  if (name == "sigmoid") return Activation::kSigmoid;
  if (name == "tanh") return Activation::kTanh;
  if (name == "gelu") return Activation::kGelu;
  if (name == "gelu_tanh") return Activation::kGeluTanh;
  if (name == "hard_sigmoid") return Activation::kHardSigmoid;
  if (name == "hard_swish") return Activation::kHardSwish;
  throw Error(LOCI_CODE_UNSUPPORTED,
              "the plugin knows no activation '" + std::string(name) + "'; update it, or the core");
}

}  // namespace loci::sdk
