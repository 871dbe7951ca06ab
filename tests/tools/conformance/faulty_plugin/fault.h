// The one rule that this plugin breaks.
#pragma once

#include <string_view>

namespace loci::faulty {

extern const char* const kFault;  // "none", or what the places that ask say

inline bool has(std::string_view fault) { return fault == kFault; }

}  // namespace loci::faulty
