// The page around the data: index.html, in which a line "{{folder/name}}" stands for that file and
// "{{data}}" for the profile.
#pragma once

#include <string>

namespace loci::report {

struct Page {
  std::string before;
  std::string after;
};

// Throws std::logic_error for a line that names no file, or where there is not one "{{data}}".
Page make_page();

}  // namespace loci::report
