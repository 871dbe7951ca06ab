// Reads from the file of a shared library what it offers to the dynamic linker and asks of it.
#pragma once

#include <string>
#include <vector>

namespace loci::verify {

struct DynamicSymbols {
  std::vector<std::string> exported;  // defined, visible to others; as they are mangled
  std::vector<std::string> needed;    // sonames
};

// Throws CheckFailed if the file cannot be read or its tables do not lie within it. The library
// need not be one that can be mapped here.
DynamicSymbols read_dynamic_symbols(const std::string& path);

}  // namespace loci::verify
