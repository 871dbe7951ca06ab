// Text of bounded length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace loci::core {

// The text, or at most `most` bytes of it, whole characters of UTF-8, and then "... (N bytes left
// out)". Of a text that was cut before, N is of all that was left out.
std::string cut(std::string_view text, std::size_t most);

}  // namespace loci::core
