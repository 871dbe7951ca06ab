// Throwing Error with a formatted message.
#pragma once

#include <fmt/format.h>

#include <loci/error.hpp>
#include <utility>

namespace loci::core {

// Throws Error. The message reads "[where] what was wrong, with the values; what to do".
template <class... Args>
[[noreturn]] void raise(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace loci::core
