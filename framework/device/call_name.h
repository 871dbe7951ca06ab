// How messages name a call of a plugin that is about one of its devices.
#pragma once

#include <fmt/format.h>

#include <loci/place.hpp>
#include <string>
#include <string_view>

namespace loci::device {

// "open of sim:1": one function serves all devices, of which seldom more than one is at fault.
inline std::string call_name(std::string_view function, const Place& place) {
  return fmt::format("{} of {}", function, place.to_string());
}

}  // namespace loci::device
