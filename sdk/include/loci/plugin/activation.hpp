// The activation that a fused operator ends with: its attribute of that name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/elementwise_functions.hpp>
#include <loci/plugin/error.hpp>
#include <string>
#include <string_view>

namespace loci::sdk {

#define LOCI_ENUMERATOR(op, Function) k##Function,
enum class Activation : std::uint8_t { kNone, LOCI_ACTIVATIONS(LOCI_ENUMERATOR) };
#undef LOCI_ENUMERATOR

// Their names, in that order.
#define LOCI_NAME(op, Function) , std::string_view(#op)
inline constexpr std::array kActivationNames{std::string_view("none") LOCI_ACTIVATIONS(LOCI_NAME)};
#undef LOCI_NAME

// Throws Error(LOCI_CODE_UNSUPPORTED) for one that is not known.
[[nodiscard]] inline Activation read_activation(std::string_view name) {
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    if (kActivationNames[i] == name) return static_cast<Activation>(i);
  }
  throw Error(LOCI_CODE_UNSUPPORTED,
              "the plugin knows no activation '" + std::string(name) + "'; update it, or the core");
}

}  // namespace loci::sdk
