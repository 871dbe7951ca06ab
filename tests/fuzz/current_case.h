// Names what was at work when the process ended without a word.
#pragma once

#include <string>

namespace loci::fuzz {

// Keeps `text` until the next call. If the process is ended by a signal or a sanitizer, or
// `seconds` pass, it is written to standard error. For one thread.
void set_current_case(std::string text, unsigned seconds);

}  // namespace loci::fuzz
