// Why an operator runs where it does.
#pragma once

#include <cstdint>
#include <string_view>

namespace loci::runtime {

enum class PlaceReason : std::uint8_t {
  kDefault,      // the executor's place
  kUserGuard,    // a DeviceGuard
  kNoKernel,     // the executor's place has no kernel for it
  kSmallerCopy,  // a cast, there because fewer bytes are copied
  kDecomposed,   // part of an operator for which that place has no kernel, but for its parts
};
std::string_view place_reason_name(PlaceReason reason);  // "user_guard"

}  // namespace loci::runtime
