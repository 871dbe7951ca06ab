// Names whose pointers stay valid.
#pragma once

#include <string_view>

namespace loci::memory {

// A copy of `text` that is never freed; equal texts give equal pointers. Thread-safe. For names of
// programs and scopes, of which there are few, not for ones made up anew at each call.
const char* intern(std::string_view text);

}  // namespace loci::memory
