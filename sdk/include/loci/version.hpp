// The version of the library.
#pragma once

#include <loci/export.hpp>
#include <string_view>

namespace loci {
inline namespace v0 {

// The version of the headers.
inline constexpr std::string_view kVersion = "0.1.0";
// Returns the version of the library that the program runs with.
LOCI_PUBLIC std::string_view version();

}  // namespace v0
}  // namespace loci
