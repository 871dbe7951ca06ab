// Names as a terminal may show them.
#pragma once

#include <loci/abi/base.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace loci::report_text {

// Names come from applications and from files: a control character in one would break a table, or
// drive the terminal. It becomes \n, \t, \x1b or \u202e, as a byte that is not UTF-8 becomes \xff;
// all else stays.
std::string printable(std::string_view text);
std::string printable(loci_str text);

// How many characters a reader sees: the code points of UTF-8.
std::size_t shown_width(std::string_view text);

// At most `width` characters; "..." stands for what is cut off at the end.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace loci::report_text
