// What products and convolutions may end with; for both sides of a launch.
#pragma once

#include <cstdint>
#include <string_view>

namespace loci::cuda {

enum class Activation : std::int32_t {
  kNone,
  kRelu,
  kSigmoid,
  kTanh,
  kGelu,
  kGeluTanh,
  kHardSigmoid,
  kHardSwish
};

// Of the attribute of that name. Throws Error for one that is not known.
[[nodiscard]] Activation read_activation(std::string_view name);

}  // namespace loci::cuda
