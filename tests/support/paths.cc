#include "tests/support/paths.h"

#include <cstdlib>

namespace loci::test {

std::string build_path(std::string_view path) {
  const char* elsewhere = std::getenv("LOCI_TEST_BUILD_DIRECTORY");
  return std::string(elsewhere == nullptr ? LOCI_TEST_BUILD_DIRECTORY : elsewhere)
      .append("/")
      .append(path);
}

std::string source_path(std::string_view path) {
  return std::string(LOCI_TEST_SOURCE_DIRECTORY "/").append(path);
}

std::string plugin_directory() { return build_path("lib/loci/plugins"); }

std::string plugin_file(std::string_view name) {
  return plugin_directory().append("/loci-").append(name).append(".so");
}

}  // namespace loci::test
