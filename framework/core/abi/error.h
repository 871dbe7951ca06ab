// Errors across the plugin boundary.
#pragma once

#include <loci/abi/base.h>

#include <loci/error.hpp>
#include <string>
#include <string_view>

namespace loci::core {

inline loci_str to_abi(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view from_abi(loci_str text) {
  return {text.data, static_cast<std::size_t>(text.size)};
}
// Converts text that a plugin may leave out, which is empty then.
inline std::string_view optional_from_abi(loci_str text) {
  return text.data == nullptr ? std::string_view() : from_abi(text);
}

// Makes an error that the host table can read and release.
loci_error* make_error(const Error& error) noexcept;

// The exception for an error that a plugin returned, whose causes become its details; releases it.
[[nodiscard]] Error take_error(loci_error* error);

// Throws it, if there is one, with "context: " before the message.
inline void check(loci_error* error) {
  if (error != nullptr) [[unlikely]]
    throw take_error(error);
}
void check(loci_error* error, std::string_view context);

}  // namespace loci::core
