// Where the build and the sources are. No test gets a path by a macro: objects that hold none are
// the same in every checkout, and the compiler cache knows them.
#pragma once

#include <string>
#include <string_view>

namespace loci::test {

// Returns the path of what is there in the build folder: "bin/loci". Where tests were carried
// elsewhere with what they need, the variable LOCI_TEST_BUILD_DIRECTORY says where.
std::string build_path(std::string_view path);
// Returns the path of what is there in the sources: "examples/device_guard".
std::string source_path(std::string_view path);

// The folder of the plugins that Loci brings, and one of them by its name: "cpu".
std::string plugin_directory();
std::string plugin_file(std::string_view name);

}  // namespace loci::test
