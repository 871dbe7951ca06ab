// Arguments and texts of files in messages.
#pragma once

#include <string>
#include <string_view>

namespace loci::runner {

// The argument in single quotes, of a long one the beginning and its length.
std::string shown(const std::string& argument);
// Shows a name without quotes; of a long one the beginning and its length.
std::string shown_name(const std::string& name);

// A text from a file in single quotes, on one line: control characters, marks of direction and
// invalid UTF-8 as \xNN or \uNNNN, a backslash or single quote behind a backslash; of a long one
// the beginning and its length.
std::string shown_text(std::string_view text);

}  // namespace loci::runner
