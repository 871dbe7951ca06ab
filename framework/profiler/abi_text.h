// Texts of a profile.
#pragma once

#include <loci/abi/base.h>

#include <string_view>

namespace loci::profiler {

// Borrows the text.
inline loci_str to_abi(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view to_view(const loci_str& text) { return {text.data, text.size}; }

}  // namespace loci::profiler
