// The shared libraries that the dynamic linker would not find.
#pragma once

#include <string>
#include <vector>

namespace loci::runner {

// The sonames that the library at `path`, or one that it needs, names and that are nowhere in the
// search of the dynamic linker. The linker of this process is asked, which runs no code of the
// library. Empty if it cannot tell.
std::vector<std::string> missing_libraries(const std::string& path);

// In what it prints with LD_TRACE_LOADED_OBJECTS, as ldd does.
std::vector<std::string> not_found_in(const std::string& listing);

}  // namespace loci::runner
