// Text that a plugin states, by an address and a length that are its own.
#pragma once

#include <loci/abi/base.h>

#include <cstdint>
#include <string_view>

namespace loci::plugin {

// The text, empty where there is none. Throws LoadError(kIncompatible), "its <what> states ...",
// for one that is longer than LOCI_MAX_TEXT, before any of it is read: a length can be told to be
// wild, an address cannot.
std::string_view stated_text(loci_str text, std::string_view what);

// The longest message of an error or a log that is read.
inline constexpr std::uint64_t kLongestMessage = std::uint64_t{16} * LOCI_MAX_TEXT;

// A message, or one that says that it was too long to be read.
std::string_view stated_message(loci_str text) noexcept;

}  // namespace loci::plugin
