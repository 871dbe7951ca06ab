// Arguments in messages.
#pragma once

#include <string>

namespace loci::runner {

// The argument in single quotes, of a long one the beginning and its length.
std::string shown(const std::string& argument);
// The same without quotes, of a name.
std::string shown_name(const std::string& name);

}  // namespace loci::runner
