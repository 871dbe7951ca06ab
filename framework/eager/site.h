// Where in the user's program a call was made.
#pragma once

#include <string>

namespace loci::eager {

// "main+0x1f (/usr/bin/train)": the function before that address, as far as the dynamic symbols
// tell it, and its file; "an unknown place" for null.
[[nodiscard]] std::string describe_site(const void* address);

}  // namespace loci::eager
