// Which package of Debian and Ubuntu has a shared library.
#pragma once

#include <string>

namespace loci::runner {

// Returns the package of a library that plugins commonly need, by its soname: "libgomp1" for
// libgomp.so.1. Empty for others.
std::string package_of(const std::string& soname);

// Says what to do for want of that library.
std::string package_hint(const std::string& soname);

}  // namespace loci::runner
