// Why an operator runs where it does.
#pragma once

#include <cstdint>
#include <string_view>

namespace loci::execution {

enum class PlaceReason : std::uint8_t {
  kDefault,      // the executor's place
  kUserGuard,    // a DeviceGuard
  kInputs,       // to(place) has moved its inputs there, or they lay there when it was traced
  kNoKernel,     // the executor's place has no kernel for it
  kSmallerCopy,  // a cast, there because fewer bytes are copied
  kDecomposed,   // part of an operator for which that place has no kernel, but for its parts
};
std::string_view place_reason_name(PlaceReason reason);  // "user_guard"

}  // namespace loci::execution
