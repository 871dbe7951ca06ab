// Text from outside, made fit for a message.
#pragma once

#include <string>
#include <string_view>

namespace loci::core {

// The text in single quotes: control characters, marks of direction and invalid UTF-8 as \xNN or
// \uNNNN, a backslash or single quote behind a backslash, cut after 80 bytes with "..." and its
// length. A message stays one line of bounded length, whatever a file calls its fields.
std::string quote(std::string_view text);

// The text as it is, but for control characters, which become \xNN: it stays one line, and moves no
// terminal's cursor.
std::string one_line(std::string_view text);

}  // namespace loci::core
